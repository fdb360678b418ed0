// @vitest-environment happy-dom

import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useMask } from '../../lib/browser/ui-store.ts'
import { renderUi } from '../../testing/render.tsx'
import { Change } from './change.tsx'

afterEach(() => useMask.setState({ on: false }))

test.each([
  [{ total: 120, previous: 100 }, false, 'up 20% vs. previous 7 days', 'text-success-ink'],
  [{ total: 50, previous: 100 }, false, 'down 50% vs. previous 7 days', 'text-danger-ink'],
  [{ total: 120, previous: 100 }, true, 'up 20% vs. previous 7 days', 'text-danger-ink'],
  [{ total: 0, previous: 100 }, true, 'down 100% vs. previous 7 days', 'text-success-ink'],
  [{ total: 1001, previous: 1000 }, false, 'up under 1% vs. previous 7 days', 'text-success-ink'],
  [{ total: 4, previous: 0 }, false, 'up 4 vs. previous 7 days', 'text-success-ink'],
])('the change %j (less is better: %s) is shown as %j', (totals, lessIsBetter, words, tone) => {
  const { container } = renderUi(<Change totals={totals} than="previous 7 days" lessIsBetter={lessIsBetter} />)
  expect(container.textContent).toBe(words)
  expect(container.querySelector(`.${tone}`)).not.toBeNull()
})

test('an unchanged total is described as the same as before', () => {
  const { container } = renderUi(<Change totals={{ total: 3, previous: 3 }} than="previous 7 days" />)
  expect(container.textContent).toBe('Same as the previous 7 days')
})

test('a change is hidden while values are masked', () => {
  useMask.setState({ on: true })
  renderUi(<Change totals={{ total: 120, previous: 100 }} than="previous 7 days" />)
  expect(screen.getByText('Against the previous 7 days')).toBeTruthy()
  expect(screen.queryByText(/20%/)).toBeNull()
})
