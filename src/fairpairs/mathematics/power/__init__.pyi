"""The functions of `fairpairs.power`, and where each is from."""

from .equivalence import (
    Line as Line,
    power_within as power_within,
    smallest_margin as smallest_margin,
)
from .items import (
    PilotOfScores as PilotOfScores,
    items_from_rates as items_from_rates,
    pilot_of_scores as pilot_of_scores,
)
from .rejection import (
    Test as Test,
    expected_rejection as expected_rejection,
)
from .sample_sizes import (
    detectable_difference as detectable_difference,
    judgments_needed as judgments_needed,
    power_curve as power_curve,
    smallest_number as smallest_number,
)
