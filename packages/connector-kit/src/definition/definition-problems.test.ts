import { expect, it } from 'vitest'
import type { DestinationDefinition, ObjectDefinition } from './definition.ts'
import { definitionProblems, logoProblems } from './definition-problems.ts'
import type { RowObjectDefinition } from './row-objects.ts'
import { defineSettings, setting } from './setting.ts'

const key = setting.secret({ label: 'Key', help: 'h', required: true, sentTo: [] })
const asked = { label: 'Field', help: 'h', required: true } as const
const target = { label: 'Text', help: 'h', type: 'string', required: true, recommended: true, kind: 'custom' } as const
const action = {
  name: 'send',
  title: 'Send',
  description: 'Sends it.',
  targets: [{ name: 'text', ...target }],
  customTargets: false,
  wholeEvent: false,
  eventTypes: [],
} as const
const messages: ObjectDefinition = {
  name: 'messages',
  title: 'Messages',
  description: 'One for each event.',
  syncModes: ['INSERT_ONLY'],
  identifiers: [],
  actions: ['send'],
}
const upserted: ObjectDefinition = {
  ...messages,
  name: 'contacts',
  syncModes: ['UPSERT_ONLY'],
  identifiers: [{ event: 'userId' }, { target: 'text' }],
}
const records: RowObjectDefinition = {
  name: 'records',
  title: 'Records',
  description: 'Each row.',
  syncModes: ['UPSERT_ONLY'],
  address: ({ name }) => name,
}
const complete: DestinationDefinition = {
  slug: 'some-service',
  title: 'Some Service',
  description: 'Sends events there.',
  docs: { url: 'https://docs.example', steps: [1, 2].map((step) => ({ title: `Step ${step}`, text: 'Do it.' })) },
  settings: defineSettings({ api_key: key }),
  category: 'Automation',
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [messages, upserted],
  actions: [action],
  presets: [{ action: 'send', fields: { text: { type: 'FIELD', name: 'event' } } }],
  batching: () => ({ maxEvents: 10, maxBytes: 1000, maxWaitMs: 0 }),
  testConnection: async () => ({ ok: true, message: '' }),
  deliver: async () => ({ outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }),
}

it('a complete definition has no problems', () => {
  expect(definitionProblems(complete)).toEqual([])
})

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><path d="M0 0h4"/></svg>'

it.each([
  [logo, []],
  ['logo.png', ['The logo is not one SVG element']],
  [logo.replace('0 0 48 48', '0 0 48 24'), ['The logo has no square viewBox that begins at 0 0']],
  [logo.replace('<path', '<script>1</script><path'), ['The logo has scripts or elements that could fetch something']],
  [logo.replace('<path', '<path onload="x"'), ['The logo has scripts or elements that could fetch something']],
  [logo.replace('<path', '<path fill="url(https://a.b/c)"'), ['The logo refers to something outside']],
])('a definition accepts only an image as logo: %s', (svg, problems) => {
  expect(logoProblems(svg)).toEqual(problems)
})

it.each<[Partial<DestinationDefinition>, string]>([
  [{ actions: [{ ...action, needsSetting: 'api_key' }] }, 'The action send needs a setting api_key that is no toggle'],
  [{ slug: 'someService' }, 'The slug "someService" is not in kebab-case'],
  [{ description: 'TODO: one sentence.' }, 'The description is still to be written: TODO: one sentence.'],
  [{ description: 'Sends events' }, 'The description is not a sentence'],
  [
    { docs: { ...complete.docs, url: 'http://docs.example' } },
    'The address of the vendor’s documents is not an https URL',
  ],
  [{ docs: { ...complete.docs, steps: [] } }, 'The set-up guide has fewer than two steps'],
  [{ settings: defineSettings({ apiKey: key }) }, 'The setting apiKey is not named in snake_case'],
  [
    { settings: defineSettings({ api_key: setting.secret({ ...asked, help: '', sentTo: [] }) }) },
    'The setting api_key: its help is empty',
  ],
  [
    { settings: defineSettings({ api_key: setting.secret(asked) }) },
    'The setting api_key is secret and does not say which settings decide where it is sent',
  ],
  [
    { settings: defineSettings({ api_key: setting.secret({ ...asked, sentTo: [{ setting: 'host', by: 'value' }] }) }) },
    'The setting api_key is sent to a setting host that cannot be compared',
  ],
  [
    { settings: defineSettings({ api_key: key, signing_secret: setting.text(asked) }) },
    'The setting signing_secret holds a secret, but is not marked as one',
  ],
  [
    { settings: defineSettings({ api_key: key, size: setting.number({ ...asked, default: 5, max: 4 }) }) },
    'The setting size has a default that is refused: At most 4',
  ],
  [{ settings: defineSettings({ region: setting.text(asked) }) }, 'It needs a key, but has no secret setting'],
  [{ auth: 'oauth2' }, 'It needs a grant, but does not say what it is registered as'],
  [
    { actions: [{ ...action, targets: [...action.targets, ...action.targets] }] },
    'The action send has the target "text" twice',
  ],
  [
    { actions: [{ ...action, targets: [{ name: 'text', ...target, help: '' }] }] },
    'The action send, target text: its help is empty',
  ],
  [
    {
      actions: [{ ...action, targets: [{ name: 'text', ...target, default: { setting: 'currency' } }] }],
    },
    'The action send: the target text has a default in a setting currency that there is not',
  ],
  [
    {
      actions: [{ ...action, targets: [{ name: 'text', ...target, countrySetting: 'api_key' }] }],
    },
    'The action send: the target text has a default in a setting api_key that there is not',
  ],
  [
    {
      actions: [{ ...action, targets: [{ name: 'text', ...target, default: { setting: 'host', beside: ['value'] } }] }],
      settings: defineSettings({ api_key: key, host: setting.text(asked) }),
    },
    'The action send: the target text has a default beside targets that there are not',
  ],
  [
    {
      rowObjects: [{ ...records, syncModes: [] }],
      deliverRows: async () => ({ outcomes: [], httpStatus: 0, latencyMs: 0 }),
    },
    'The rows of records have no sync mode',
  ],
  [{ rowObjects: [records] }, 'The rows of records are taken by nothing: there is no deliverRows'],
  [{ objects: [] }, 'The action send writes no object'],
  [{ objects: [messages, messages] }, 'The object "messages" is there twice'],
  [{ objects: [{ ...messages, name: 'allMessages' }] }, 'The object allMessages is not named in snake_case'],
  [{ objects: [{ ...messages, title: ' ' }] }, 'The object messages: its title is empty'],
  [{ objects: [messages, { ...messages, name: 'others', actions: [] }] }, 'The object others is written by no action'],
  [
    { objects: [{ ...messages, actions: ['send', 'post'] }] },
    'The object messages is written by an action post that there is not',
  ],
  [
    { objects: [{ ...messages, syncModes: ['INSERT_ONLY', 'INSERT_ONLY'] }] },
    'The object messages has the sync mode "INSERT_ONLY" twice',
  ],
  [
    { objects: [{ ...upserted, identifiers: [] }] },
    'The object contacts has the sync mode UPSERT_ONLY, but nothing to know a record by',
  ],
  [
    { objects: [{ ...upserted, identifiers: [{ setting: 'row_key' }] }] },
    'The object contacts is known by a setting row_key that there is not',
  ],
  [
    { objects: [{ ...upserted, identifiers: [{ target: 'email' }] }] },
    'The object contacts is known by a target email that not all of its actions have',
  ],
  [
    { presets: [{ action: 'send', since: 99, fields: { text: { type: 'FIELD', name: 'event' } } }] },
    'The preset at presets.0: since is 99; the current version of presets is',
  ],
  [
    { presets: [{ action: 'send', fields: { text: { type: 'FIELD', name: 'event', since: 0 } } }] },
    'The preset at presets.0: since is 0; the current version of presets is',
  ],
  [{ presets: [] }, 'There is no preset: a new destination would leave out every event'],
  [
    { presets: [{ action: 'sent', fields: {} }] },
    'The preset at presets.0.destination: Some Service has no action "sent"',
  ],
  [
    { presets: [{ action: 'send', fields: {} }] },
    'The preset at presets.0.field_mappings: Map the required field "Text"',
  ],
  [
    { presets: [{ action: 'send', fields: { text: { type: 'TEMPLATE', value: '{{ event' } } }] },
    'The preset at presets.0.field_mappings.0.source.value: Error at',
  ],
  [
    { batching: () => ({ maxEvents: 0, maxBytes: 1, maxWaitMs: 0 }) },
    'batching.maxEvents is 0; it must be a whole number of at least 1',
  ],
  [{ rate: () => ({ requests: 0.5, perMs: 1000 }) }, 'rate.requests is 0.5; it must be a whole number of at least 1'],
])('an incomplete definition has the expected problem: %j', (change, problem) => {
  const problems = definitionProblems({ ...complete, ...change })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(problem)
})
