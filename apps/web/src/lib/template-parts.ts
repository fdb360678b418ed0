import { offeredFilters } from '@tributary/contract'

/** Something to put into a Liquid template, with what it stands for. */
export type TemplatePart = { name: string; help: string; insert: string }

const filterHelp: Record<(typeof offeredFilters)[number], { help: string; insert: string }> = {
  append: { help: 'Puts a text behind', insert: ' | append: ""' },
  prepend: { help: 'Puts a text in front', insert: ' | prepend: ""' },
  capitalize: { help: 'First letter large', insert: ' | capitalize' },
  downcase: { help: 'All letters small', insert: ' | downcase' },
  upcase: { help: 'All letters large', insert: ' | upcase' },
  ceil: { help: 'Rounds up', insert: ' | ceil' },
  floor: { help: 'Rounds down', insert: ' | floor' },
  plus: { help: 'Adds a number', insert: ' | plus: 1' },
  date: { help: 'Writes a time in a format', insert: ' | date: "%Y-%m-%d"' },
}

/** The offered filters as parts. */
export const filterParts: readonly TemplatePart[] = offeredFilters.map((name) => ({ name, ...filterHelp[name] }))

/** In templates that write JSON: the filter for whole values. */
export const jsonFilter: TemplatePart = {
  name: 'json',
  help: 'Writes a whole value as JSON, without quotes around it',
  insert: ' | json',
}

/** What a template for a webhook can read. */
export const webhookVariables: readonly TemplatePart[] = [
  { name: 'body', help: 'The body that was sent, a field of it by its name', insert: '{{ body.name }}' },
  { name: 'headers', help: 'The headers, by their names in small letters', insert: '{{ headers.user-agent }}' },
  { name: 'query', help: 'The parameters of the address', insert: '{{ query.name }}' },
  { name: 'now', help: 'When it came in', insert: '{{ now }}' },
]

/** What a template that is given an event can read of any of them. */
export const eventVariables: readonly TemplatePart[] = [
  { name: 'event', help: 'The name of the event', insert: '{{ event }}' },
  { name: 'type', help: 'What kind of event it is, such as track', insert: '{{ type }}' },
  { name: 'userId', help: 'The user', insert: '{{ userId }}' },
  { name: 'anonymousId', help: 'The visitor who may be no user yet', insert: '{{ anonymousId }}' },
  { name: 'properties', help: 'What the event is about, a part of it by its name', insert: '{{ properties.name }}' },
  { name: 'traits', help: 'What is known of the user, a part of it by its name', insert: '{{ traits.name }}' },
  { name: 'context', help: 'Where it happened, such as context.page.url', insert: '{{ context.page.url }}' },
  { name: 'timestamp', help: 'When it happened', insert: '{{ timestamp }}' },
]

/** A template that does what happens without one. */
export const plainWebhookTemplate = `{
  "type": "track",
  "event": "webhook_source_event",
  "properties": {{ body | json }}
}`
