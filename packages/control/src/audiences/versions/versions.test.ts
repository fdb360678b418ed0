import { type AudienceQuery, maxVersions, methods, queriesOf } from '@tributary/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../../testing/control-harness.ts'
import { trialAudience } from '../../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string
let params: { workspace: string; audience: string }

const did = (selectedEvent: string): AudienceQuery => {
  const query = structuredClone(trialAudience)
  for (const each of queriesOf(query)) Object.assign(each, { type: 'event', selectedAttributes: [], selectedEvent })
  return query
}
const within = (name: string): AudienceQuery => {
  const query = did('')
  for (const each of queriesOf(query))
    Object.assign(each, { type: 'audience', selectedAudience: { name, member: true } })
  return query
}

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
})
afterAll(() => harness[Symbol.asyncDispose]())

const create = (title: string, query: AudienceQuery) =>
  organization.collaborator.ok(methods.audiences.create, { workspace }, { body: { title, query } })

beforeEach(async () => {
  params = { workspace, audience: idIn((await create('Buyers', did('Bought'))).name) }
})

const change = (body: object, caller = organization.collaborator) =>
  caller.call(
    'PATCH',
    `/workspaces/${workspace}/audiences/${params.audience}?update_mask=${Object.keys(body)
      .filter((field) => field !== 'version')
      .join()}`,
    body,
  )
const list = async () => (await organization.guest.ok(methods.audiences.listVersions, params)).versions
const get = () => organization.guest.ok(methods.audiences.get, params)
const restore = (version: number, body: { current_version?: number } = {}, caller = organization.collaborator) =>
  caller.call('POST', `/workspaces/${workspace}/audiences/${params.audience}/versions/${version}:restore`, body)

test('each change of title or query is a version with author and time; a change without effect makes no version', async () => {
  await change({ title: 'Good buyers' }, organization.administrator)
  await change({ query: did('Ordered') })
  await change({ title: 'Good buyers', query: did('Ordered') })
  const versions = await list()
  expect(versions.map(({ version, title }) => [version, title])).toEqual([
    [3, 'Good buyers'],
    [2, 'Good buyers'],
    [1, 'Buyers'],
  ])
  const names = versions.map(({ author }) => author)
  expect(names[1]).not.toBe(names[0])
  expect(names).not.toContain('')
  const query = async (version: string) =>
    (await organization.guest.ok(methods.audiences.getVersion, { ...params, version })).query
  expect(await query('2')).toEqual(did('Bought'))
  expect(await query('3')).toEqual(did('Ordered'))
})

test('restoring a version makes a new version, which is computed, and keeps the previous one', async () => {
  await change({ title: 'Other', query: did('Ordered') })
  expect((await restore(1, { current_version: 2 })).body).toMatchObject({
    version: 3,
    restored_version: 1,
    title: 'Buyers',
  })
  expect(await get()).toMatchObject({ version: 3, title: 'Buyers', query: did('Bought'), state: 'computing' })
  expect((await list()).map(({ title }) => title)).toEqual(['Buyers', 'Other', 'Buyers'])
})

test('the second of two changes of the same version is refused with the author and time of the first, and changes nothing', async () => {
  expect((await change({ title: 'Mine', version: 1 }, organization.administrator)).status).toBe(200)
  const [{ author, create_time } = { author: '', create_time: '' }] = await list()
  for (const body of [
    { title: 'Theirs', version: 1 },
    { query: did('Ordered'), version: 1 },
  ]) {
    const { status, body: reply } = await change(body)
    expect({ status, reply }).toMatchObject({
      status: 409,
      reply: { reason: 'AUDIENCE_CHANGED', metadata: { version: '2', author, time: create_time } },
    })
    expect(reply.message).toContain(`${author} changed this audience`)
  }
  expect((await restore(1, { current_version: 1 })).status).toBe(409)
  expect(await get()).toMatchObject({ title: 'Mine', query: did('Bought'), version: 2 })
})

test('a version that refers to a deleted audience is not restored, and the response says why', async () => {
  const other = await create('Other', did('Seen'))
  await change({ query: within(other.name) })
  await change({ query: did('Bought') })
  expect((await organization.collaborator.call('DELETE', `/${other.name}`)).status).toBe(200)
  expect(await restore(2)).toMatchObject({
    status: 400,
    body: { message: 'This query names an audience that does not exist' },
  })
})

test('guests cannot restore a version, other organizations see none, and an unknown version is not found', async () => {
  await change({ title: 'Other' })
  expect((await restore(1, {}, organization.guest)).status).toBe(403)
  expect((await restore(1, {}, organization.outsider)).status).toBe(404)
  const path = `/workspaces/${workspace}/audiences/${params.audience}/versions`
  expect((await organization.outsider.call('GET', path)).status).toBe(404)
  expect((await organization.outsider.call('GET', `${path}/1`)).status).toBe(404)
  for (const version of ['3', '0', '-1', '1a', '99999999999'])
    expect((await organization.guest.call('GET', `${path}/${version}`)).status).toBe(404)
})

test('beyond the maximum number of versions, the oldest are removed', async () => {
  await harness.db.updateTable('audiences').set({ version: maxVersions }).where('id', '=', params.audience).execute()
  await change({ title: 'Later' })
  expect((await list()).map(({ version }) => version)).toEqual([maxVersions + 1])
})
