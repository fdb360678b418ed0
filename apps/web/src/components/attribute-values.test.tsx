// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { SelectedAttribute } from '@tributary/contract'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../testing/page.tsx'
import { ValueInput } from './attribute-values.tsx'

const given = { name: 'plan', operator: 'equals_any', value: '', values: [] } as unknown as SelectedAttribute

const Condition = ({ onChange }: { onChange: (values: readonly string[]) => void }) => {
  const [attribute, setAttribute] = useState(given)
  return (
    <ValueInput
      noun="trait"
      event=""
      attribute={attribute}
      wrong={() => ({})}
      onChange={(part) => {
        setAttribute((before) => ({ ...before, ...part }))
        if (part.values !== undefined) onChange(part.values)
      }}
    />
  )
}

test('the same value entered twice into a condition becomes two tags and is stored twice (FORM-19)', async () => {
  let kept: readonly string[] = []
  const { settled } = openInWorkspace(<Condition onChange={(values) => (kept = values)} />, {
    answers: () => undefined,
  })
  await settled()
  await userEvent.type(screen.getByLabelText('Values'), 'pro{Enter}pro{Enter}')
  expect(screen.getAllByRole('button', { name: 'Remove pro' })).toHaveLength(2)
  expect(kept).toEqual(['pro', 'pro'])
})
