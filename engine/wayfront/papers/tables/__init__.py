"""The papers' tables: every figure they give, a module for each paper.

A is Suzuki and others, B the study of four CUDA searches (its scan is garbled), C is Liu and Wang, D is
Okuyama and others, E is the article by Rajkumar and Garland with its repository, and F is no paper of the project but
what others publish of near-far and its kin.
"""

from __future__ import annotations

from wayfront.papers.tables.paper_a import PAPER as _A
from wayfront.papers.tables.paper_b import PAPER as _B
from wayfront.papers.tables.paper_c import PAPER as _C
from wayfront.papers.tables.paper_d import PAPER as _D
from wayfront.papers.tables.paper_e import PAPER as _E
from wayfront.papers.tables.paper_f import PAPER as _F

PAPERS = (_A, _B, _C, _D, _E, _F)
