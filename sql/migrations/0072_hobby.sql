-- "has the hobby of pottery" reads as English, "does as a hobby pottery" does not; a label that somebody has set stays.
update predicates set label = 'has the hobby of' where predicate = 'hobby' and label = 'does as a hobby';
