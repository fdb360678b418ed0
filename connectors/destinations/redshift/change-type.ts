import { quoted } from '../../wire/postgresql/identifiers.ts'
import { asText, literal, superText, textBytes, tryCast } from '../../wire/redshift/super.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'

const extra = quoted(extraColumn)

/** A member of `extra_properties` as text. */
export const extraMember = (name: string): string => superText(`${extra}.${quoted(name)}`)

/** Bytes of JSON that can be handled as text, with room for one more value. */
const jsonBytes = textBytes - 5000

/** `extra_properties` with one more member, which is text. If it is too long for a text, it becomes a member itself. */
const withMember = (name: string, text: string): string => {
  const member = `json_serialize(object(${literal(name)}, ${text}))`
  return `case when ${extra} is null or json_serialize(${extra}) = '{}' then object(${literal(name)}, ${text})
  when json_size(${extra}) + octet_length(${text}) > ${jsonBytes} then object(${literal(name)}, ${text}, ${literal(extraColumn)}, ${extra})
  else json_parse(substring(${member}, 1, length(${member}) - 1) || ',' || substring(json_serialize(${extra}), 2)) end`
}

/** The rows of a table whose members of `extra_properties` are known one by one, without the member of this name. */
const withoutMember = (table: string, name: string, condition: string): string =>
  `select moved_id, moved_at, json_parse('{' || listagg(substring(pair, 2, length(pair) - 2), ',') || '}') as kept
  from (select moved_id, moved_at, json_serialize(object(attr::varchar(${textBytes}), val)) as pair
    from (select "id" as moved_id, "received_at" as moved_at, ${extra} as members from ${table} where ${condition}) as moved, unpivot moved.members as val at attr
    where attr::varchar(${textBytes}) <> ${literal(name)}) as pairs
 group by moved_id, moved_at`

/**
 * Returns the statements that change the type of a column, in one transaction. Redshift cannot change the type itself,
 * only add, rename and drop columns (https://docs.aws.amazon.com/redshift/latest/dg/r_ALTER_TABLE.html). Values that do
 * not convert move to `extra_properties`, and values of there that convert leave it.
 */
export const changeTypeStatements = (
  { schema, table }: { schema: string; table: string },
  change: { column: string; before: string; type: string },
): string[] => {
  const { column, before, type } = change
  const place = `${quoted(schema)}.${quoted(table)}`
  const [name, made] = [quoted(column), quoted(`${column}__new`)]
  const text = asText(name, before)
  const found = extraMember(column)
  const isFound = `${name} is null and ${made} is not null`
  const self = quoted(table)
  return [
    'begin',
    `lock ${place}`,
    `alter table ${place} add column ${made} ${type}`,
    `update ${place} set ${made} = ${tryCast(`coalesce(${text}, ${found})`, type)} where ${name} is not null or ${found} is not null`,
    `update ${place} set ${extra} = ${withMember(column, text)} where ${name} is not null and ${made} is null`,
    `update ${place} set ${extra} = null where ${isFound} and json_size(${extra}) = json_size(object(${literal(column)}, ${extra}.${name}))`,
    `update ${place} set ${extra} = changed.kept from (${withoutMember(place, column, `${isFound} and ${extra} is not null and json_size(${extra}) <= ${textBytes}`)}) as changed
 where ${self}."id" = changed.moved_id and ${self}."received_at" = changed.moved_at and ${self}.${name} is null and ${self}.${made} is not null`,
    `alter table ${place} drop column ${name}`,
    `alter table ${place} rename column ${made} to ${name}`,
    'commit',
  ]
}
