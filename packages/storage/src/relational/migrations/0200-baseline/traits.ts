/**
 * Functions on values of traits, which are JSON texts from outside. A function returns null, an empty list or false for
 * a value that it does not accept, and never fails.
 *
 * - `trait_text` is the text of a JSON string, or `true` and `false`; `trait_texts` are the texts in a list.
 * - `trait_number` is a number, or a text that is one.
 * - `trait_time` is the time of a day or a moment in ISO 8601 (`datePattern` of the contract), epoch ms; UTC without a
 *   zone.
 * - `trait_contains_any` is whether a text, or a list of texts, contains any of some texts.
 */
export const traitsSql = String.raw`
create function trait_text(value text) returns text language plpgsql immutable parallel safe as $function$
begin
  if value in ('true', 'false') then return value; end if;
  if value is null or left(value, 1) <> '"' then return null; end if;
  if strpos(value, '\') = 0 then return substr(value, 2, length(value) - 2); end if;
  begin
    return value::json #>> '{}';
  exception when others then
    return null;
  end;
end $function$;

create function trait_texts(value text) returns text[] language plpgsql immutable parallel safe as $function$
begin
  if value is null or left(value, 1) <> '[' then return '{}'; end if;
  begin
    return array(
      select item #>> '{}' from json_array_elements(value::json) as item where json_typeof(item) = 'string');
  exception when others then
    return '{}';
  end;
end $function$;

create function trait_number(value text) returns float8 language plpgsql immutable parallel safe as $function$
declare written text := value;
begin
  if left(value, 1) = '"' then
    written := trait_text(value);
    if written !~ '^-?[0-9]{1,15}(\.[0-9]{1,15})?$' then return null; end if;
  elsif length(value) <= 15 and value <> '' and translate(value, '0123456789', '') = '' then
    null;
  elsif value !~ '^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$'
    or (length(value) > 200 and value !~ '^-?[0-9]{1,200}(\.[0-9]{1,200})?([eE][+-]?[0-9]{1,2})?$') then
    return null;
  end if;
  return written::float8;
end $function$;

create function trait_time(value text) returns bigint language plpgsql immutable parallel safe as $function$
declare
  written text;
  -- What follows the seconds, or the minutes where there are none.
  rest text := '';
  zone text := '';
  year int;
  month int;
  day int;
  time bigint := 0;
begin
  if value is null or left(value, 1) <> '"' then return null; end if;
  written := case when strpos(value, '\') = 0 then substr(value, 2, length(value) - 2) else trait_text(value) end;
  if written is null or substr(written, 5, 1) <> '-' then return null; end if;
  if length(written) = 10 then
    if written !~ '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$' then return null; end if;
  else
    if written !~ '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?$' then
      return null;
    end if;
    time := substr(written, 12, 2)::int * 3600000 + substr(written, 15, 2)::int * 60000;
    rest := substr(written, 17);
    if left(rest, 1) = ':' then
      time := time + substr(rest, 2, 2)::int * 1000;
      rest := substr(rest, 4);
    end if;
    zone := right(rest, 6);
    if left(zone, 1) in ('+', '-') then
      rest := left(rest, length(rest) - 6);
      time := time - (case when left(zone, 1) = '-' then -1 else 1 end)
        * (substr(zone, 2, 2)::int * 60 + substr(zone, 5, 2)::int) * 60000;
    end if;
    if left(rest, 1) = '.' then time := time + rpad(left(rtrim(substr(rest, 2), 'Z'), 3), 3, '0')::int; end if;
  end if;
  year := left(written, 4)::int;
  month := substr(written, 6, 2)::int;
  day := substr(written, 9, 2)::int;
  if year = 0 or (day > 28 and day > (case when month = 2
    then case when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29 else 28 end
    else 30 + (month + month / 8) % 2 end)) then return null; end if;
  return (make_date(year, month, day) - date '1970-01-01')::bigint * 86400000 + time;
end $function$;

create function trait_contains_any(value text, parts text[]) returns boolean language plpgsql immutable parallel safe
as $function$
declare written text := trait_text(value);
begin
  if written is null then return trait_texts(value) && parts; end if;
  return exists (select from unnest(parts) as part where strpos(written, part) > 0);
end $function$;
`
