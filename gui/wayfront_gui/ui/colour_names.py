"""The names of the colours of distance: each start of the command line names them in its help, so this is light."""

from __future__ import annotations

COLOURS = {
    "dawn": "From blue over rose to yellow",
    "dusk": "From blue to yellow, distinct for every kind of colour vision",
    "plasma": "From violet to yellow",
    "viridis": "From violet over green to yellow, distinct for every kind of colour vision",
    "inferno": "From violet over red to pale yellow",
    "haline": "From deep blue over sea green to pale yellow",
    "batlow": "Fabio Crameri's, from blue over green to rose",
}
"""The names of ``colour_maps``, and what they look like."""
