"""What people call processors."""

from __future__ import annotations

import pytest

from wayfront_gui.session.formatting import short_device_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Intel Xeon Processor @ 2.50GHz", "Intel Xeon 2.5 GHz"),
        ("Intel Core i7-8650U CPU @ 1.90GHz", "Intel Core i7-8650U 1.9 GHz"),
        ("12th Gen Intel Core i7-12700K", "Intel Core i7-12700K"),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7763"),
        ("AMD Ryzen Threadripper PRO 5995WX 64-Cores", "AMD Ryzen Threadripper PRO 5995WX"),
        ("AMD Ryzen 7 5800U with Radeon Graphics", "AMD Ryzen 7 5800U"),
        ("Apple M2 Pro", "Apple M2 Pro"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
        ("x86_64", "x86_64"),
        ("a processor", "a processor"),
        ("CPU", "CPU"),
        ("", ""),
    ],
)
def test_a_processor_is_called_what_people_say(name: str, short: str) -> None:
    assert short_device_name(name).replace("\xa0", " ") == short
