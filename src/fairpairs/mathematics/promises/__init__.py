"""One harness of promises: draw a world many times, run a test, and count what it gets wrong.

promise.py
    Runs a measurement over blocks of data sets, in processes; what a test says of data sets; a
    promise, what was measured of it, and whether it is kept.
check.py
    The public function: any test, any world.
worlds.py
    Worlds by name: clusters, weights, judges, two models, margins.
competitors.py
    Textbook tests, whose power is a promise where they keep their level.
"""
