"""Plug-ins: other people's modules that declare algorithms, formats, colours or panels, and what went wrong in one."""
