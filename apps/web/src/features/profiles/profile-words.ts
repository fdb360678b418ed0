import type { ProfileHistoryEntry, ProfileIdentifier } from '@tributary/contract'

type Plain = Pick<ProfileIdentifier, 'type' | 'value'>

const kinds: Readonly<Record<string, string>> = {
  user_id: 'User ID',
  anonymous_id: 'Anonymous ID',
  previous_id: 'Previous ID',
  email: 'Email address',
  phone: 'Phone number',
}

/** The title of a kind of identifier; kinds of external IDs have their own name. */
export const kindOf = (type: string): string => kinds[type] ?? type

const named = ({ type, value }: Plain): string => `${kindOf(type)} ${value}`

/** Lists identifiers in a sentence. */
const list = (identifiers: readonly Plain[]): string => identifiers.map(named).join(', ')

/** The text of an entry in a profile's history; `id` is the profile that shows it. */
export const historyText = (entry: ProfileHistoryEntry): string => {
  const what = list(entry.identifiers)
  const by = entry.by === null ? '' : named(entry.by)
  switch (entry.change) {
    case 'created':
      return `First seen as ${what}`
    case 'merged':
      return entry.alias ? `Merged by an alias call: ${what} is ${by}` : `Merged: ${what} came with ${by}`
    case 'split':
      return `Split: ${what}`
    case 'refused':
      return entry.reason === 'split'
        ? `Not linked: ${what} came with ${by}, but they were split`
        : `Not linked: ${what} came with ${by}, beyond the limit of identifiers`
  }
}

/** A trait's value as text: a string without its quotes, other values as JSON. */
export const traitText = (value: string): string => {
  if (!value.startsWith('"')) return value
  // The server wrote the value, so it is valid JSON.
  return JSON.parse(value) as string
}
