// @vitest-environment happy-dom

import { screen } from '@testing-library/react'
import type { Violation } from '@tributary/contract'
import { expect, test } from 'vitest'
import { renderUi } from '../../../testing/render.tsx'
import { sourceName } from '../../../testing/source.ts'
import { ViolationDialog } from './violation-dialog.tsx'

const violation: Violation = {
  type: 'track',
  event: 'Order',
  property: 'total',
  problem: 'unknown',
  last_24_hours: 0,
  last_7_days: 1,
  last_30_days: 1,
  last_seen_time: '2026-01-01T00:00:00Z',
  sample_events: [],
  fixed_in_version: null,
}
const show = (fixed: number | null): void => {
  renderUi(
    <ViolationDialog
      violation={{ ...violation, fixed_in_version: fixed }}
      source={sourceName}
      mayEdit
      onClosed={() => undefined}
    />,
  )
}

test('a missing part of the schema can be added', () => {
  show(null)
  expect(screen.getByRole('link', { name: 'Add to schema' })).toBeDefined()
  expect(screen.queryByText(/Fixed in/)).toBeNull()
})

test('an added part names its version, links to it, and cannot be added again', () => {
  show(2)
  const link = screen.getByRole('link', { name: 'Fixed in v2' })
  expect(link.getAttribute('href')).toBe(`/${sourceName}?version=2#schema`)
  expect(screen.queryByRole('link', { name: 'Add to schema' })).toBeNull()
  expect(screen.getByRole('link', { name: 'Open in schema' })).toBeDefined()
})
