"""A form of fields made from an algorithm's declared options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from wayfront.errors import OptionError
from wayfront.options import AUTO, Option, OptionValue
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.controls import GAP, ChoiceBox, caption, check_box, let_go_when_done, number_field

LARGEST_INT = 2**31 - 1

AUTOMATIC = marked("auto")
Change = Callable[[str, OptionValue], None]


class OptionForm(QWidget):
    """Shows one field per option and calls ``change(name, value)`` when the user sets one."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self._change = change
        self._layout = QFormLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setVerticalSpacing(GAP)
        self._layout.setHorizontalSpacing(GAP)
        self._layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._options: Sequence[Option] = ()
        self._fields: list[QWidget] = []

    def show_options(self, options: Sequence[Option], values: Mapping[str, OptionValue]) -> None:
        """Show fields for ``options`` with these values; the same options again keep their fields."""
        if tuple(options) == tuple(self._options):
            for option, field in zip(options, self._fields, strict=True):
                _show_value(field, option, values[option.name])
            return
        self._options, self._fields = options, []
        while self._layout.rowCount():
            self._layout.removeRow(0)
        for option in options:
            field = _field(option, values[option.name], self._change)
            field.setObjectName(f"option {option.name}")
            field.setToolTip(_hint(option))
            name = caption(_first_upper(translated(option_title(option))), field)
            name.setToolTip(_hint(option))
            self._layout.addRow(name, field)
            self._fields.append(field)
        self.setVisible(bool(options))

    def follow(self, before: QWidget) -> None:
        """Let Tab reach the fields after ``before``, in their order: Qt puts fields that are made later last."""
        for field in self._fields:
            self.setTabOrder(before, field)
            before = field


def option_title(option: Option) -> str:
    """Return the English name of an option."""
    return option.name.replace("_", " ")


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unit_of(option: Option, value: OptionValue) -> str:
    """Return an option's unit as it stands after a value, in the language in use."""
    unit = option.unit_of(value)
    return f" {translated_message(unit.strip())}" if unit else ""


def _with_unit(option: Option, value: OptionValue) -> str:
    return f"{translated_message(str(value))}{_unit_of(option, value)}"


def _hint(option: Option) -> str:
    lines = [translated_message(option.help)]
    if option.bounds is not None:
        low, high = option.bounds
        lines.append(translated("From {low:g} to {high:g}{unit}.", low=low, high=high, unit=_unit_of(option, high)))
    lines += [
        translated("With “{choice}” a result may be wrong; it is always checked.", choice=choice)
        for choice in option.unsafe
    ]
    lines.append(
        translated(
            "By default {value}.",
            value=translated(AUTOMATIC) if option.default == AUTO else _with_unit(option, option.default),
        )
    )
    return "\n".join(lines)


def _field(option: Option, value: OptionValue, change: Change) -> QWidget:
    set_value = partial(change, option.name)
    if option.kind is bool:
        return _check_box(bool(value), set_value)
    if option.choices:
        return _choice_box(option, value, set_value)
    if option.kind is int:
        return _whole_number(option, value, set_value)
    if option.kind is float:
        return _number(option, value, set_value)
    return _text_field(str(value), set_value)


def _show_value(field: QWidget, option: Option, value: OptionValue) -> None:
    """Show a value that was not set here; a field that shows it already keeps what is being typed into it."""
    blocked = field.blockSignals(True)
    if isinstance(field, QCheckBox):
        field.setChecked(bool(value))
    elif isinstance(field, ChoiceBox):
        field.choose_data(value)
    elif isinstance(field, QSpinBox | QDoubleSpinBox):
        shown = field.minimum() if value == AUTO else option.kind(value)
        if field.value() != shown:
            field.setProperty("value", shown)
            if option.unit:
                field.setSuffix(_unit_of(option, field.value()))
    elif isinstance(field, QLineEdit) and not field.hasFocus():
        field.setText(str(value))
    field.blockSignals(blocked)


def _check_box(value: bool, set_value: Callable[[OptionValue], None]) -> QCheckBox:
    box = check_box()
    box.setChecked(value)
    box.toggled.connect(set_value)
    return box


def _choice_box(option: Option, value: OptionValue, set_value: Callable[[OptionValue], None]) -> ChoiceBox:
    box = ChoiceBox()
    if option.automatic:
        box.addItem(translated(AUTOMATIC), AUTO)
    for choice in option.choices:
        box.addItem(_with_unit(option, choice), choice)
    box.choose_data(value)
    box.currentIndexChanged.connect(lambda index: set_value(box.itemData(index)))
    return box


def _whole_number(option: Option, value: OptionValue, set_value: Callable[[OptionValue], None]) -> QSpinBox:
    box = QSpinBox()
    low, high = option.bounds or (-LARGEST_INT, LARGEST_INT)
    box.setRange(int(_lowest(option, low)), int(min(high, LARGEST_INT)))
    box.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
    box.setGroupSeparatorShown(True)
    _set_up_number(box, option)
    box.setValue(box.minimum() if value == AUTO else int(value))
    box.valueChanged.connect(partial(_on_number, box, option, set_value))
    return box


def _number(option: Option, value: OptionValue, set_value: Callable[[OptionValue], None]) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    low, high = option.bounds or (-1e12, 1e12)
    box.setDecimals(3)
    box.setRange(_lowest(option, low), high)
    box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
    _set_up_number(box, option)
    box.setValue(box.minimum() if value == AUTO else float(value))
    box.valueChanged.connect(partial(_on_number, box, option, set_value))
    return box


def _text_field(value: str, set_value: Callable[[OptionValue], None]) -> QLineEdit:
    line = QLineEdit(value)
    line.editingFinished.connect(lambda: set_value(line.text()))
    let_go_when_done(line)
    return line


def _lowest(option: Option, low: float) -> float:
    """Return the field's minimum, which lies below the bounds where it stands for ``AUTO``."""
    if not option.automatic:
        return low
    return 0.0 if low > 0 else low - 1


def _set_up_number(box: QSpinBox | QDoubleSpinBox, option: Option) -> None:
    number_field(box)
    box.setKeyboardTracking(False)
    if option.unit:
        box.valueChanged.connect(lambda value: box.setSuffix(_unit_of(option, value)))
        box.setSuffix(_unit_of(option, box.value()))
    if option.automatic:
        box.setSpecialValueText(translated(AUTOMATIC))


def _on_number(
    box: QSpinBox | QDoubleSpinBox, option: Option, set_value: Callable[[OptionValue], None], value: float
) -> None:
    try:
        set_value(AUTO if option.automatic and value == box.minimum() else option.parse(value))
    except OptionError:
        # Values between the field's minimum, which stands for AUTO, and the lowest legal one mean nothing.
        assert option.bounds is not None
        box.setProperty("value", option.bounds[0])
