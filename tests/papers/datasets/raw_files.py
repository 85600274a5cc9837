"""Raw files of people and of faces, and a web server on this machine."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PEOPLE = """\
age,city,gender,outcome,year,name
30,Ash,m,good,2020,Ann
40.5,Birk,f,bad,2021,Bob
25,Ash,f,good,2021,Cid
50,Cole,m,bad,2022,Dot
"""
FACES = """\
Filename,P1,P2,Mean,Score
AF1.jpg,1,2,1.5,1.5
AM2.jpg,5,,5,5
CF3.jpg,3,3,3,3
CM10.jpg,,4.5,4.5,4.5
"""


def with_value(row, column, value):
    """PEOPLE with another value in one place."""
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    rows[row][rows[0].index(column)] = value
    return "\n".join(",".join(r) for r in rows) + "\n"


def respond(handler, body, size=None, times=1):
    """Answer with a body, and say that it has this size."""
    handler.send_response(200)
    if times == 1:
        handler.send_header("Content-Length", str(len(body) if size is None else size))
    handler.end_headers()
    for _ in range(times):
        handler.wfile.write(body)


@contextmanager
def served(answer):
    """Serve by a function of the handler of a request; yield the address."""
    methods = {"do_GET": answer, "log_message": lambda *_: None}
    handler = type("Handler", (BaseHTTPRequestHandler,), methods)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
