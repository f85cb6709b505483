"""What a person would see of a page: style sheets, selectors, layout, toggles."""
