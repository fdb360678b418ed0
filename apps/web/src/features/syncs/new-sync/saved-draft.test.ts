import { type Destination, type SyncDraft as SavedDraft, syncModeInput } from '@tributary/contract'
import { expect, test } from 'vitest'
import { aModel } from '../../../testing/syncs.ts'
import { manual } from '../schedule.ts'
import {
  emptyDraft,
  eventRowObjects,
  inputOf,
  type RowObject,
  withDestination,
  withModel,
  withObject,
} from './draft.ts'
import { restored, savedOf } from './saved-draft.ts'

const model = aModel()
const table: RowObject = {
  name: 'table',
  title: 'Table',
  description: '',
  sync_modes: ['FULL_SYNC', 'UPSERT_ONLY'],
  named: true,
  listable: true,
}
const destination = {
  name: 'workspaces/w1/destinations/d1',
  title: 'Warehouse',
  app: { catalog_app: 'catalogDestinations/postgresql' },
} as Destination
const destinations = [{ destination, note: '', icon: '', objects: [table] }]

/** The response of the server for a saved draft. */
const kept = (saved: ReturnType<typeof savedOf>): SavedDraft => ({
  name: 'workspaces/w1/syncDraft',
  source: saved.source ?? null,
  audience: null,
  catalog_destination: saved.catalog_destination ?? null,
  destination: saved.destination ?? null,
  target_object: saved.target_object ?? null,
  sync_type: syncModeInput.nullable().parse(saved.sync_type ?? null),
  settings: JSON.parse(JSON.stringify(saved.settings ?? {})),
  errors: saved.errors ?? {},
  configuration_status: { previous: 'none', current: saved.configuration_status ?? 'none' },
  update_time: '2026-03-01T12:00:00.000Z',
})

const full = {
  ...withDestination(withModel(emptyDraft, model), destination, [table]),
  mode: 'FULL_SYNC' as const,
  ownsObject: true,
  objectName: 'mine',
  schedule: { ...manual, interval_minutes: 60 as const },
  title: 'My sync',
}

test('a saved draft is restored at its step', () => {
  expect(restored(kept(savedOf(full, 'schedule')), [model], destinations)).toEqual({ draft: full, step: 'schedule' })
  expect(savedOf(full, 'schedule').configuration_status).toBe('valid')
  expect(restored(kept(savedOf(emptyDraft, 'model')), [model], destinations)).toEqual({
    draft: emptyDraft,
    step: 'model',
  })
})

test('a restored draft drops deleted objects, and opens at a reachable step', () => {
  const saved = kept(savedOf(full, 'review'))
  expect(restored(saved, [], destinations)).toMatchObject({ draft: { model: undefined, rows: [] }, step: 'model' })
  expect(restored(saved, [model], [])).toMatchObject({ draft: { destination: undefined }, step: 'destination' })
  const grown = { ...model, columns: [...model.columns, { name: 'plan', type: 'text' }] }
  expect(restored(saved, [grown], destinations).draft.rows.map(({ column }) => column)).toEqual(['id', 'email', 'plan'])
})

test('a restored draft of events has its mapping and choices', () => {
  const source = { ...destination, name: 'workspaces/w1/sources/s1', title: 'Offline' }
  const [events, profiles] = eventRowObjects
  const draft = {
    ...withObject(withDestination(withModel(emptyDraft, model), source, eventRowObjects), profiles),
    toDestinations: true,
  }
  expect([draft.mode, draft.rows.map(({ target }) => target)]).toEqual(['UPSERT_ONLY', ['traits.id', 'traits.email']])
  const rows = draft.rows.with(1, { column: 'email', type: 'text', target: 'userId', included: true })
  const full = { ...draft, rows: rows.map((row) => ({ ...row })) }
  const offered = [{ destination: source, note: '', icon: '', objects: eventRowObjects }]
  expect(restored(kept(savedOf(full, 'review')), [model], offered)).toEqual({ draft: full, step: 'review' })
  expect(inputOf(full)).toMatchObject({
    destination: source.name,
    object: 'profiles',
    object_name: 'profiles',
    identifier: 'messageId',
    to_destinations: true,
  })
  expect(withObject(full, events)).toMatchObject({ mode: 'INSERT_ONLY', objectName: model.title })
})
