"""Plug-ins: other people's modules that declare algorithms, formats or colours, and what went wrong in one."""
