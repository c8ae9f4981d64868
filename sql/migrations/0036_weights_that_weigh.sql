-- A weight is finite and small enough to be reckoned with: an infinite one, set by SQL, ended every search.
update weights set value = min(max(value, -1e6), 1e6) where value not between -1e6 and 1e6;

create trigger weights_insert before insert on weights when new.value not between -1e6 and 1e6 begin
  select raise(abort, 'a weight is a number from -1000000 to 1000000');
end;

create trigger weights_update before update of value on weights when new.value not between -1e6 and 1e6 begin
  select raise(abort, 'a weight is a number from -1000000 to 1000000');
end;
