// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { isDone, markDone, resetFlags, toggleMask, useMask, useSidebar, useUi } from './ui-store.ts'

const flags = () => useUi.getState().flags

beforeEach(resetFlags)

test('SES-20, SES-21: an identifier that is marked done is stored in a map from identifiers to done', () => {
  markDone('x')
  markDone('y')
  expect(flags()).toEqual({ x: { done: true }, y: { done: true } })
  expect(isDone(flags(), 'x')).toBe(true)
})

test.each(['unknown', 'constructor', ''])('SES-22: the unknown identifier %j is not done', (id) => {
  expect(isDone(flags(), id)).toBe(false)
})

test('SES-23: after a reset, no identifier is done', () => {
  markDone('x')
  resetFlags()
  expect(isDone(flags(), 'x')).toBe(false)
  expect(flags()).toEqual({})
})

test('SES-24: the flags are stored under a name of the product that ends in ui', () => {
  markDone('x')
  const key = Object.keys(localStorage).find((name) => name.endsWith('ui')) ?? ''
  expect(key).toBe('tributary-ui')
  expect(JSON.parse(localStorage.getItem(key) ?? '{}').state.flags).toEqual({ x: { done: true } })
})

test('SES-25, SES-26: the sidebar and the mask have one storage key each; the mask is true or false', () => {
  useSidebar.setState({ collapsed: true })
  expect(localStorage.getItem('tributary-sidebar-collapsed')).toContain('true')
  toggleMask()
  expect([localStorage.getItem('mask_metric_values'), useMask.getState().on]).toEqual(['true', true])
  toggleMask()
  expect([localStorage.getItem('mask_metric_values'), useMask.getState().on]).toEqual(['false', false])
})
