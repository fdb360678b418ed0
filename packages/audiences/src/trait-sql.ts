import type { Condition } from './sql-builder.ts'

/**
 * A trait in a query. If its name has dots, `holders` are the names of traits that may be objects with this trait
 * inside.
 */
type AskedTrait = { readonly name: Condition; readonly holders: Condition | undefined }

/**
 * Returns the names of traits that may contain a trait: its own name, and the name of every object around it, the
 * longest first.
 */
export const holdersOf = (name: string): string[] => {
  const steps = name.split('.')
  return steps.map((_, index) => steps.slice(0, steps.length - index).join('.'))
}

/**
 * Returns the text that selects the latest value of each trait for many profiles in one scan. It compares times only if
 * several identifiers or objects of a profile have the trait.
 */
export const traitsOfMany = (asked: readonly AskedTrait[], only: (id: string) => string): string => {
  const counted = asked.map(({ name, holders }, index) => {
    const value = holders === undefined ? `coalesce(t.value, '')` : `trait_within(t.name, ${name}, t.value)`
    const where = holders === undefined ? `t.name = ${name}` : `t.name = any(${holders}) and ${value} is not null`
    return `count(*) filter (where ${where}) as n${index}, min(${value}) filter (where ${where}) as v${index}`
  })
  const latest = asked.map(
    (trait, index) =>
      `case when n${index} = 1 then v${index} when n${index} > 1 then ${latestTrait(trait, 'found.profile_id')} end as t${index}`,
  )
  const named = asked.map(({ name, holders }) =>
    holders === undefined ? `t.name = ${name}` : `t.name = any(${holders})`,
  )
  return `found as (
  select i.profile_id, ${counted.join(',\n    ')}
  from profile_traits t
  join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier
  where t.workspace_id = $1::uuid and (${named.join(' or ')})${only('i.profile_id')}
  group by i.profile_id
), traits as materialized (
  select profile_id, ${latest.join(',\n    ')}
  from found
), `
}

/** Returns the expression of the latest value of a trait of a profile. */
export const latestTrait = ({ name, holders }: AskedTrait, profile: 'found.profile_id' | 'p.id'): string => {
  const own = `from profile_identifiers i
    join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence`
  const ofProfile = `where i.workspace_id = $1::uuid and i.profile_id = ${profile}`
  return holders === undefined
    ? `(
    select coalesce(t.value, '') ${own} and t.name = ${name}
    ${ofProfile} order by t.time desc, t.event_id desc limit 1)`
    : `(
    select within.value from (
      select trait_within(t.name, ${name}, t.value) as value, t.time, t.event_id, t.name ${own} and t.name = any(${holders})
      ${ofProfile}
    ) as within where within.value is not null
    order by within.time desc, within.event_id desc, length(within.name) desc limit 1)`
}
