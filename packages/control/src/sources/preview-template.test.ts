import { createWebhookReceiver } from '@tributary/collect'
import { listedSources } from '@tributary/connectors'
import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let path: string
const webhook = listedSources.filter(({ slug }) => slug === 'webhook')
beforeAll(async () => {
  // The real definition and what collection runs.
  harness = await startControl({
    catalog: { ...testCatalog, sources: [...testCatalog.sources, ...webhook] },
    receiveWebhook: createWebhookReceiver(),
  })
  organization = await startOrganization(harness)
  path = await make('webhook')
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = async (app: string): Promise<string> => {
  const source = await organization.administrator.ok(
    methods.sources.create,
    { workspace: organization.workspaceId },
    { body: { title: 'Hook', app: { name: `catalogSources/${app}` } } },
  )
  return `/${source.name}:previewTemplate`
}

const preview = async (body: object) => {
  const reply = await organization.collaborator.call('POST', path, body)
  const { events, error } = reply.body as { events?: string[]; error?: unknown }
  return { status: reply.status, events: events?.map((text) => JSON.parse(text) as unknown), error }
}

test('a preview shows the events that would be stored, and stores nothing', async () => {
  const before = await harness.audits()
  expect(
    await preview({
      template: '{"event":"{{ headers.x-kind }} {{ query.n }}","userId":"{{ body.user }}"}',
      body: '{"user":"u-1"}',
      query: 'n=7',
      headers: { 'X-Kind': 'Paid' },
    }),
  ).toEqual({ status: 200, events: [{ type: 'track', event: 'Paid 7', userId: 'u-1' }], error: null })
  expect(await harness.audits()).toEqual(before)
})

test.each([
  ['{{ body | nope }}', '{}', 'TEMPLATE_INVALID', 'Error at >> 1| {{ body | nope }}\n      ^\nundefined filter: nope'],
  ['{"event":"{{ body.a }}"}', '{', 'INVALID_JSON', expect.stringContaining('not valid JSON')],
  ['{"event":{{ body.a }}}', '{}', 'TEMPLATE_NOT_JSON', expect.stringContaining('did not render to JSON')],
  ['{"userId":"u"}', '{}', 'MISSING_FIELD', expect.stringContaining('`event`')],
])('a preview with %s of %s shows %s', async (template, body, reason, message) => {
  expect(await preview({ template, body })).toEqual({ status: 200, events: [], error: { reason, message } })
})

test('only editors of the workspace can preview, for sources with a template, and only with a template', async () => {
  const body = { template: '{}', body: '{}' }
  const { administrator, guest, outsider } = organization
  expect((await harness.call('', 'POST', path, body)).status).toBe(401)
  expect((await guest.call('POST', path, body)).status).toBe(403)
  expect((await outsider.call('POST', path, body)).status).toBe(404)
  expect((await administrator.call('POST', path.replace(idIn(path).split(':')[0] ?? '', newId()), body)).status).toBe(
    404,
  )
  expect(await administrator.call('POST', await make('http'), body)).toMatchObject({
    status: 400,
    body: { metadata: { template: 'This kind of source has no template' } },
  })
  expect(await administrator.call('POST', path, { template: '', body: '{}' })).toMatchObject({
    status: 400,
    body: { metadata: { template: 'Required' } },
  })
  expect((await administrator.call('POST', path, { template: 'x'.repeat(10_001), body: '' })).status).toBe(400)
})

test('a template with unbounded work gets an error within the time limit of one rendering', async () => {
  const template = `{% for i in (1..9000) %}{% if ${Array.from({ length: 1600 }, () => '1').join(' and ')} %}{% endif %}{% endfor %}`
  expect(await preview({ template, body: '{}' })).toMatchObject({
    status: 200,
    events: [],
    error: { reason: 'TEMPLATE_FAILED', message: "The source's template failed: the template reads too much data." },
  })
})
