import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * `trait_time` is the time of a JSON string that is a day or a moment as ISO 8601 writes them (`datePattern` of the contract), epoch ms;
 * without a zone it is UTC. `trait_contains_any` says whether a text, or a list of texts, contains any of some. Neither fails for
 * anything else.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create function trait_time(value text) returns bigint language plpgsql immutable parallel safe as $function$
declare
  part text[];
  year int;
  month int;
  day int;
begin
  if value is null or left(value, 1) <> '"' then return null; end if;
  part := regexp_match(trait_text(value), '^([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\\.([0-9]{1,9}))?)?(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?$');
  if part is null then return null; end if;
  year := part[1]::int;
  month := part[2]::int;
  day := part[3]::int;
  -- In brackets: a condition ends at the first 'then' outside of them.
  if year = 0 or day > (case when month = 2
    then case when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29 else 28 end
    else 30 + (month + month / 8) % 2 end) then return null; end if;
  return (make_date(year, month, day) - date '1970-01-01')::bigint * 86400000
    + coalesce(part[4]::int, 0) * 3600000 + coalesce(part[5]::int, 0) * 60000 + coalesce(part[6]::int, 0) * 1000
    + coalesce(rpad(left(part[7], 3), 3, '0')::int, 0)
    - case when part[8] = '-' then -1 else 1 end * (coalesce(part[9]::int, 0) * 60 + coalesce(part[10]::int, 0)) * 60000;
end $function$;

create function trait_contains_any(value text, parts text[]) returns boolean language plpgsql immutable parallel safe
as $function$
declare written text := trait_text(value);
begin
  if written is null then return trait_texts(value) && parts; end if;
  return exists (select from unnest(parts) as part where strpos(written, part) > 0);
end $function$;
`.execute(db)
}
