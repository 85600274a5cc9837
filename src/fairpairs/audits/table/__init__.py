"""Tables of selection rates and impact ratios, in the form that a rule asks for."""
