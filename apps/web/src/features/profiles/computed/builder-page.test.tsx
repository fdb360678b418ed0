// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ComputedTraitDefinition, computedTraitPreview } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { BuilderPage } from './builder-page.tsx'

// Replaces the leave guard, because it needs a router, which these tests do not have.
vi.mock('../../../components/leave-guard.tsx', () => ({ LeaveGuard: () => null }))

const definition: ComputedTraitDefinition = {
  event: 'Order Completed',
  operation: 'sum',
  property: 'totl',
  window_days: 30,
  conditions: [{ id: 'a001', name: 'curency', valueType: 'text', operator: 'exists', value: '', values: [] }],
}
const warning = (id: string, field: string) => ({ id, field, nearest: '', message: `Unknown ${id} ${field}` })
const preview = computedTraitPreview.parse({
  as_of: '2026-01-01T00:00:00Z',
  sample: [],
  warnings: [warning('', 'property'), warning('a001', 'name')],
})

test('a name that was never received is reported at its field in the builder, and the computed trait can still be saved', async () => {
  const saved: unknown[] = []
  openInWorkspace(
    <BuilderPage
      heading="Edit"
      crumbs={[]}
      given={{ trait: 'spent', definition }}
      saveLabel="Save"
      saving={false}
      failure={null}
      onSave={(made) => saved.push(made)}
    />,
    {
      role: 'ORG_ADMIN',
      answers: (path) =>
        path.endsWith('computedTraits:preview')
          ? Response.json(preview)
          : path.endsWith(':suggest')
            ? Response.json({ suggestions: [] })
            : undefined,
    },
  )
  expect(await screen.findByText('Unknown property')).toBeDefined()
  const [property] = screen.getAllByRole('combobox', { name: 'Property' })
  expect(
    screen
      .getByText('Unknown property')
      .closest('div')
      ?.contains(property ?? null),
  ).toBe(true)
  const conditions = screen.getByRole('group', { name: 'Conditions' })
  expect(conditions.contains(screen.getByText('Unknown a001 name'))).toBe(true)
  expect(conditions.contains(screen.getByText('Unknown property'))).toBe(false)
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(saved).toEqual([{ trait: 'spent', definition }])
})
