import { offeredFilters } from '@tributary/contract'

/** A part to insert into a Liquid template, with its meaning. */
export type TemplatePart = { name: string; help: string; insert: string }

const filterHelp: Record<(typeof offeredFilters)[number], { help: string; insert: string }> = {
  append: { help: 'Appends text', insert: ' | append: ""' },
  prepend: { help: 'Prepends text', insert: ' | prepend: ""' },
  capitalize: { help: 'Capitalizes the first letter', insert: ' | capitalize' },
  downcase: { help: 'Converts to lowercase', insert: ' | downcase' },
  upcase: { help: 'Converts to uppercase', insert: ' | upcase' },
  ceil: { help: 'Rounds up', insert: ' | ceil' },
  floor: { help: 'Rounds down', insert: ' | floor' },
  plus: { help: 'Adds a number', insert: ' | plus: 1' },
  date: { help: 'Formats a time', insert: ' | date: "%Y-%m-%d"' },
}

/** The offered filters as parts. */
export const filterParts: readonly TemplatePart[] = offeredFilters.map((name) => ({ name, ...filterHelp[name] }))

/** The filter for whole values in templates that write JSON. */
export const jsonFilter: TemplatePart = {
  name: 'json',
  help: 'Outputs the value as JSON. Do not put quotes around it',
  insert: ' | json',
}

/** The variables of a webhook template. */
export const webhookVariables: readonly TemplatePart[] = [
  { name: 'body', help: 'The request body, such as body.id', insert: '{{ body.name }}' },
  { name: 'headers', help: 'The request headers, by lowercase name', insert: '{{ headers.user-agent }}' },
  { name: 'query', help: 'The query parameters', insert: '{{ query.name }}' },
  { name: 'now', help: 'When it was received', insert: '{{ now }}' },
]

/** The variables of a template for any event. */
export const eventVariables: readonly TemplatePart[] = [
  { name: 'event', help: 'The event name', insert: '{{ event }}' },
  { name: 'type', help: 'The event type, such as track', insert: '{{ type }}' },
  { name: 'userId', help: 'The user ID', insert: '{{ userId }}' },
  { name: 'anonymousId', help: 'The anonymous ID', insert: '{{ anonymousId }}' },
  { name: 'properties', help: "The event's properties, such as properties.total", insert: '{{ properties.name }}' },
  { name: 'traits', help: "The user's traits, such as traits.email", insert: '{{ traits.name }}' },
  { name: 'context', help: "The event's context, such as context.page.url", insert: '{{ context.page.url }}' },
  { name: 'timestamp', help: 'When it happened', insert: '{{ timestamp }}' },
]

/** A template with the same result as no template. */
export const plainWebhookTemplate = `{
  "type": "track",
  "event": "webhook_source_event",
  "properties": {{ body | json }}
}`
