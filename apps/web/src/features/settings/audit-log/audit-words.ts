import { type AuditRecord, apiResources } from '@tributary/contract'
import { humanise } from '../../../lib/format/text.ts'

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Titles of resources whose names in the API differ from the terms of the product. */
const named: Readonly<Record<string, string>> = {
  apiKeys: 'API keys',
  profileKeys: 'Profile API keys',
  writekeys: 'Write keys',
}

const resourceTitle = (resource: string): string => named[resource] ?? capital(humanise(resource).toLowerCase())

/** The title of an action: `sources.updateSetting` is "Sources: update setting". */
export const actionText = (action: string): string => {
  const [resource = '', verb = ''] = action.split('.')
  return `${resourceTitle(resource)}: ${humanise(verb).toLowerCase()}`
}

/**
 * The short name of a record's resource: the end of its ID, which fits on a line and identifies the row. The record
 * contains the whole name.
 */
export const resourceText = (resource: string): string => {
  const parts = resource.split('/')
  // The name of a singleton ends with its kind, not with an ID: `sources/{id}/app`.
  return parts
    .slice(parts.length % 2 === 0 ? -2 : -3)
    .join('/')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{4}([0-9a-f]{8})/g, '…$1')
}

/** The resources whose changes are recorded, as options with value and title, sorted by title. */
export const auditedResources: readonly { value: string; title: string }[] = apiResources
  .map((value) => ({ value, title: resourceTitle(value) }))
  .sort((a, b) => a.title.localeCompare(b.title))

/** The actor as text; staff with the organization for which they acted. */
export const actorText = ({ actor, on_behalf_of }: Pick<AuditRecord, 'actor' | 'on_behalf_of'>): string => {
  if (actor.kind === 'product') return 'Tributary'
  const who = actor.title === '' ? 'Someone who is gone' : actor.title
  return on_behalf_of === null ? who : `${who} on behalf of ${on_behalf_of}`
}

/** A value of a record as text: texts unchanged, other values as JSON. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1)
}

/** The other non-empty fields of a record, and fields with a value before and after. */
export const detailLines = ({
  detail,
  changes,
}: Pick<AuditRecord, 'detail' | 'changes'>): [name: string, value: string][] =>
  Object.entries(detail)
    .filter(([name]) => !changes.some(({ field }) => field === name))
    .filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [humanise(name), valueText(value)])
