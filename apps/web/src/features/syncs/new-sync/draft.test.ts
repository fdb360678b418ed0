import { expect, test } from 'vitest'
import { aModel } from '../../../testing/syncs.ts'
import {
  emptyDraft,
  firstOpen,
  inputOf,
  problemOf,
  type RowObject,
  titleOf,
  withDestination,
  withModel,
  withObject,
} from './draft.ts'

const model = aModel()
const table: RowObject = {
  name: 'table',
  title: 'Table',
  description: '',
  sync_modes: ['FULL_SYNC', 'UPSERT_ONLY', 'INSERT_ONLY'],
  named: true,
  listable: true,
}
const records: RowObject = { ...table, name: 'records', sync_modes: ['INSERT_ONLY'] }
const destination = {
  name: 'workspaces/w1/destinations/d1',
  title: 'Warehouse',
  app: { catalog_app: 'catalogDestinations/postgresql' },
}

test('a draft of a sync goes from step to step, with suggestions', () => {
  expect(firstOpen(emptyDraft)).toBe('model')
  const modelled = withModel(emptyDraft, model)
  expect(firstOpen(modelled)).toBe('destination')
  const draft = withDestination(modelled, destination, [table])
  expect(firstOpen(draft)).toBeUndefined()
  expect(inputOf(draft)).toEqual({
    title: 'Paying customers to Warehouse',
    model: model.name,
    destination: destination.name,
    object: 'table',
    object_name: 'paying_customers',
    mode: 'UPSERT_ONLY',
    identifier: 'id',
    fields: [
      { column: 'id', target: 'id' },
      { column: 'email', target: 'email' },
    ],
    interval_minutes: null,
  })
})

test('an object with a fixed name needs no entered name', () => {
  const contacts: RowObject = { ...table, name: 'contacts', named: false }
  const draft = { ...withDestination(withModel(emptyDraft, model), destination, [contacts]), objectName: ' ' }
  expect(firstOpen(draft)).toBeUndefined()
  expect(inputOf(draft)).toMatchObject({ object: 'contacts', object_name: 'contacts' })
  expect(problemOf({ ...draft, object: table }, 'destination')?.message).toBe('Enter a name')
})

test('a mode that the object does not support is reset', () => {
  const draft = { ...withDestination(withModel(emptyDraft, model), destination, [table]), mode: 'FULL_SYNC' as const }
  expect(withObject(draft, table).mode).toBe('FULL_SYNC')
  expect(withObject(draft, records).mode).toBe('INSERT_ONLY')
  expect(withObject(draft, undefined).mode).toBeUndefined()
  expect(withDestination(draft, destination, [table, records]).object).toBeUndefined()
})

test('changing the model keeps an entered object name, and makes a new mapping', () => {
  const other = { ...model, title: 'Orders', primary_key: ['id', 'email'] }
  expect(withModel(withModel(emptyDraft, model), other).objectName).toBe('orders')
  const named = withModel({ ...withModel(emptyDraft, model), objectName: 'mine' }, other)
  expect(named.objectName).toBe('mine')
  expect(problemOf(named, 'mapping')?.mapping?.all).toMatch(/^Choose the identifier/)
})

test('a list of people is named by its ID, so no name is suggested for it', () => {
  const people_lists = { setting: 'audience_id', title: 'Custom Audience', max_title: 100 }
  const ofPeople = { ...destination, app: { ...destination.app, people_lists } }
  const draft = withDestination(withModel(emptyDraft, model), ofPeople, [table])
  expect(draft.objectName).toBe('')
  expect(problemOf(draft, 'destination')?.message).toBe('Enter a name')
  expect(withDestination(draft, destination, [table]).objectName).toBe('paying_customers')
  expect(withDestination({ ...draft, objectName: '23847' }, destination, [table]).objectName).toBe('23847')
})

test('an entered title is kept, and a title that is too short is reported', () => {
  const draft = { ...withDestination(withModel(emptyDraft, model), destination, [table]), title: 'x' }
  expect(titleOf(draft)).toBe('x')
  expect(problemOf(draft, 'review')?.message).toBe('At least 2 characters')
  expect(inputOf(draft)).toBeUndefined()
})

test('a sync owns its object only if the object can be listed, and only in the mirror mode', () => {
  const chosen = { ...withDestination(withModel(emptyDraft, model), destination, [table]), ownsObject: true }
  expect(inputOf({ ...chosen, mode: 'FULL_SYNC' })).toMatchObject({ owns_object: true })
  expect(inputOf({ ...chosen, mode: 'UPSERT_ONLY' })).not.toHaveProperty('owns_object')
  expect(inputOf({ ...chosen, mode: 'FULL_SYNC', object: { ...table, listable: false } })).not.toHaveProperty(
    'owns_object',
  )
})

test('a draft keeps its cursor when the mode changes to one that reads all rows, and uses it in every other mode', () => {
  const chosen = withDestination(withModel(emptyDraft, model), destination, [table])
  const draft = { ...chosen, cursor: { column: 'id', overlap: '5' } }
  expect(inputOf(draft)).toMatchObject({ mode: 'UPSERT_ONLY', cursor: { column: 'id', overlap: 5 } })
  expect(inputOf({ ...draft, mode: 'FULL_SYNC' })).not.toHaveProperty('cursor')
  for (const cursor of [
    { column: 'id', overlap: '' },
    { column: 'email', overlap: '5' },
  ])
    expect(problemOf({ ...draft, cursor }, 'mode')?.message).toBe('Complete the cursor')
  expect(withModel(draft, { ...model, name: 'workspaces/w1/models/m2' }).cursor).toBeUndefined()
})
