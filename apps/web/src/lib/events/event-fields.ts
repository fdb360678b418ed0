import type { FieldKind } from '@tributary/contract'

/** A field of an event that can be chosen, with its title and recent values. */
export type EventField = { name: string; display_name: string; kind: FieldKind; type: string; example: string }

const field = (name: string, display_name: string, kind: FieldKind, type = 'string'): EventField => ({
  name,
  display_name,
  kind,
  type,
  example: '',
})

/** Fields that the events of any source can have. */
export const commonEventFields: readonly EventField[] = [
  field('event', 'Event name', 'event'),
  field('type', 'Event type', 'event'),
  field('userId', 'User ID', 'identity'),
  field('anonymousId', 'Anonymous ID', 'identity'),
  field('groupId', 'Group ID', 'identity'),
  field('traits.email', 'User email', 'trait'),
  field('context.page.url', 'Page URL', 'context'),
  field('context.page.path', 'Page path', 'context'),
  field('context.page.referrer', 'Referrer', 'context'),
  field('context.campaign.source', 'Campaign source', 'context'),
  field('context.campaign.name', 'Campaign name', 'context'),
  field('context.locale', 'Language', 'context'),
  field('context.ip', 'IP address', 'context'),
  field('context.userAgent', 'User agent', 'context'),
  field('context.device.type', 'Device type', 'context'),
  field('context.library.name', 'Library', 'context'),
  field('messageId', 'Message ID', 'event'),
  field('timestamp', 'Event time', 'event', 'datetime'),
  field('receivedAt', 'Received time', 'event', 'datetime'),
  field('test', 'Test event', 'event', 'boolean'),
]

/** Returns the known fields of a source, followed by the common fields that are not among them. */
export const withCommonFields = (known: readonly EventField[]): readonly EventField[] => {
  const names = new Set(known.map(({ name }) => name))
  return [...known, ...commonEventFields.filter(({ name }) => !names.has(name))]
}
