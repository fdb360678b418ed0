import { access, writeFile } from 'node:fs/promises'
import type { DataSourceDefinition } from '@tributary/connector-kit'
import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  listedDataSources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
} from '../testing/control-harness.ts'
import { testUploadSource } from '../testing/data-source.ts'

const { upload: _, ...withoutUpload } = testUploadSource

/** Writes a file to the path that it is given, and reads it as an upload. */
const testDownload: DataSourceDefinition = {
  ...withoutUpload,
  slug: 'download',
  open: async (context) => {
    const { path, maxBytes, hasRoom } = context.scratch ?? {}
    if (path === undefined || hasRoom?.() !== true) throw new Error('no place')
    await writeFile(path, `id\n${maxBytes}`)
    return await testUploadSource.open({ ...context, upload: { path, title: 'a.csv', scan: undefined } })
  },
}

let harness: Harness
let organization: Organization
let disk = true
beforeAll(async () => {
  const dataSources = [...testCatalog.dataSources, ...listedDataSources(testDownload)]
  harness = await startControl({
    uploads: { maxBytes: 1000, diskOk: () => disk },
    catalog: { ...testCatalog, dataSources },
  })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const createSource = async (app = 'upload') => {
  const { administrator, workspaceId: workspace } = organization
  const settings: Record<string, string> =
    app !== 'database' ? {} : { host: 'db.example', user: 'reader', password: 'x' }
  const body = { title: 'Customers', app: { name: `catalogDataSources/${app}` }, settings }
  const { name } = await administrator.ok(methods.dataSources.create, { workspace }, { body })
  return { name, params: { workspace, data_source: idIn(name) } }
}

const part = (text: string, more: object = {}) => ({
  upload_id: newId(),
  file_name: 'customers.csv',
  content: Buffer.from(text).toString('base64'),
  ...more,
})

const kept = async (name: string): Promise<string[]> =>
  (await harness.files.list(`${name.split('/')[1]}/${idIn(name)}`)).map(({ key }) => idIn(key))

const query = { schema: 'file', table: 'rows' }

describe('an uploaded file', () => {
  test('a file that is uploaded in parts is read as one, and shown with its uploader', async () => {
    const { administrator, guest } = organization
    const { name, params } = await createSource()
    const first = part('id,email\n1,a', { last: false })
    expect(await administrator.ok(methods.uploads.create, params, { body: first })).toEqual({
      size_bytes: 12,
      upload: null,
    })
    expect((await guest.ok(methods.uploads.get, params)).uploads).toEqual([])
    const late = part('x', { upload_id: first.upload_id, offset: 20 })
    expect(await administrator.call('POST', `/${name}/uploads`, late)).toMatchObject({
      status: 409,
      body: { reason: 'PART_MISSING', metadata: { size_bytes: '12' } },
    })
    const last = part('da\n2,bob', { upload_id: first.upload_id, offset: 12 })
    const { upload } = await administrator.ok(methods.uploads.create, params, { body: last })
    expect(upload).toMatchObject({
      file_name: 'customers.csv',
      size_bytes: 20,
      rows: 2,
      columns: [
        { name: 'id', type: 'text' },
        { name: 'email', type: 'text' },
      ],
      uploaded_by: administrator.email,
      current: true,
    })
    const preview = await administrator.ok(methods.dataSources.preview, params, { body: { query } })
    expect(preview.rows).toEqual([
      ['1', 'ada'],
      ['2', 'bob'],
    ])
    const again = await administrator.call('POST', `/${name}/uploads`, last)
    expect(again).toMatchObject({ status: 400, body: { metadata: { upload_id: 'Used before' } } })
    const [record] = (await harness.audits()).filter(({ action }) => action === 'uploads.create').toReversed()
    expect(record).toMatchObject({ actor_id: administrator.userId, detail: { rows: 2, size_bytes: 20 } })
  })

  test('a file that replaces another is the only one stored, and is deleted with its data source', async () => {
    const { administrator, guest } = organization
    const { name, params } = await createSource()
    const [one, other] = [part('id\n1'), part('id\n1\n2', { file_name: 'newer.csv' })]
    await administrator.ok(methods.uploads.create, params, { body: one })
    await administrator.ok(methods.uploads.create, params, { body: other })
    expect(await kept(name)).toEqual([other.upload_id])
    const { uploads } = await guest.ok(methods.uploads.get, params)
    expect(uploads.map(({ file_name, rows, current }) => [file_name, rows, current])).toEqual([
      ['newer.csv', 2, true],
      ['customers.csv', 1, false],
    ])
    const path = harness.files.path(`${params.workspace}/${params.data_source}/${other.upload_id}`)
    await access(path)
    await administrator.ok(methods.dataSources.delete, params)
    await expect(access(path)).rejects.toThrow('ENOENT')
  })

  test("a broken file is refused with the parser's message, and the previous file stays", async () => {
    const { administrator } = organization
    const { name, params } = await createSource()
    const good = part('id\n1')
    await administrator.ok(methods.uploads.create, params, { body: good })
    expect(await administrator.call('POST', `/${name}/uploads`, part('id\nbroken'))).toMatchObject({
      status: 400,
      body: { reason: 'FILE_REFUSED', message: 'Line 2 is broken', metadata: { file: 'Line 2 is broken' } },
    })
    expect(await kept(name)).toEqual([good.upload_id])
  })

  test('a file that is read with other settings than at its upload is parsed again for its columns', async () => {
    const { administrator } = organization
    const { params } = await createSource()
    await administrator.ok(methods.uploads.create, params, { body: part('id\n1') })
    await harness.db
      .updateTable('data_source_uploads')
      .set({ columns: '[{"name":"known","type":"text"}]' })
      .where('data_source_id', '=', params.data_source)
      .execute()
    const columns = async () =>
      (await administrator.ok(methods.dataSources.validate, params, { body: { query } })).columns[0]?.name
    expect(await columns()).toBe('known')
    await administrator.ok(methods.dataSources.updateSetting, params, { body: { name: 'header', value: false } })
    expect(await columns()).toBe('id')
  })

  test('a file is refused beyond the maximum of a file, of a workspace, and of the disk', async () => {
    const { administrator } = organization
    const { name, params } = await createSource()
    const large = await administrator.call('POST', `/${name}/uploads`, part('x'.repeat(1001), { last: false }))
    expect(large).toMatchObject({ status: 400, body: { reason: 'FILE_REFUSED' } })
    disk = false
    expect(await administrator.call('POST', `/${name}/uploads`, part('id'))).toMatchObject({ status: 503 })
    disk = true
    const before = (await harness.files.list(params.workspace)).reduce((sum, { bytes }) => sum + bytes, 0)
    for (let bytes = before; bytes + 900 <= 5000; bytes += 900)
      await administrator.ok(methods.uploads.create, params, { body: part('x'.repeat(900), { last: false }) })
    const full = await administrator.call('POST', `/${name}/uploads`, part('x'.repeat(900), { last: false }))
    expect(full).toMatchObject({ status: 400, body: { message: expect.stringContaining('of a workspace') } })
  })

  test('a file that a data source downloads is removed at the end of its session', async () => {
    const { administrator } = organization
    const { name, params } = await createSource('download')
    const { rows } = await administrator.ok(methods.dataSources.preview, params, { body: { query } })
    expect(rows).toEqual([['1000']])
    expect(await kept(name)).toEqual([])
  })

  test('a data source asks for a missing file, and an upload is refused for data sources without files', async () => {
    const { administrator } = organization
    const { name } = await createSource()
    expect(await administrator.call('POST', `/${name}:preview`, { query })).toMatchObject({
      status: 400,
      body: { message: 'No file has been uploaded yet' },
    })
    const database = await createSource('database')
    expect(await administrator.call('POST', `/${database.name}/uploads`, part('id'))).toMatchObject({ status: 400 })
  })

  test('a file of another workspace is not found, even by users with access to both', async () => {
    const other = await startOrganization(harness)
    const { name } = await createSource()
    const path = `/workspaces/${other.workspaceId}/dataSources/${idIn(name)}/uploads`
    expect(await other.platformAdmin.call('POST', path, part('id'))).toMatchObject({ status: 404 })
    expect(await other.platformAdmin.call('GET', path)).toMatchObject({ status: 404 })
  })

  test('a file without a data source is deleted after a day', async () => {
    const { administrator } = organization
    const { name, params } = await createSource()
    await harness.files.delete(params.workspace)
    const [used, left] = [part('id\n1'), part('id', { last: false })]
    for (const body of [used, left]) await administrator.ok(methods.uploads.create, params, { body })
    harness.advance(Date.now() - harness.now())
    await harness.sweepUploads()
    expect((await kept(name)).toSorted()).toEqual([used.upload_id, left.upload_id].toSorted())
    harness.advance(25 * 3_600_000)
    await harness.sweepUploads()
    expect(await kept(name)).toEqual([used.upload_id])
  })
})
