// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { MappingSource } from '@tributary/contract'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { FirstSources } from './first-sources.tsx'
import { firstOf, sourcesOfTemplate, withoutEmpty } from './listed-sources.ts'

const base = { display_name: '', is_event_name_key: false, kind: 'custom' } as const
const field = (name: string) => ({ ...base, type: 'FIELD' as const, name })
type First = Extract<MappingSource, { type: 'FIRST' }>

const fields = [{ name: 'properties.b', display_name: 'b', kind: 'property' as const, type: 'string', example: 'two' }]

let current: First
const Editor = ({ start }: { start: First }) => {
  const [source, setSource] = useState(start)
  return (
    <FirstSources
      source={source}
      target={{ type: 'any' }}
      label="Source of email"
      invalid={{}}
      disabled={false}
      fields={fields}
      variables={[{ name: 'message_id', display_name: 'Message ID' }]}
      onSource={(next) => {
        current = next
        setSource(next)
      }}
    />
  )
}
const names = () => current.sources.map((each) => ('name' in each ? each.name : each.value))
const show = (...paths: string[]) => {
  current = { ...base, type: 'FIRST', sources: paths.map(field) }
  renderUi(<Editor start={current} />)
}

test('sources are moved by buttons and by keys, and the focus follows', async () => {
  show('properties.a', 'properties.b', 'properties.c')
  await userEvent.click(screen.getByRole('button', { name: 'Move source 3 up' }))
  expect(names()).toEqual(['properties.a', 'properties.c', 'properties.b'])
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move source 2 up')
  await userEvent.keyboard('{Enter}')
  expect(names()).toEqual(['properties.c', 'properties.a', 'properties.b'])
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move source 1 down')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(names()).toEqual(['properties.a', 'properties.b', 'properties.c'])
  await userEvent.keyboard('{ArrowDown}')
  expect(names()).toEqual(['properties.a', 'properties.b', 'properties.c'])
})

test('sources are added and removed, up to ten', async () => {
  show('properties.a')
  expect(screen.getByRole('button', { name: 'Remove source 1' }).hasAttribute('disabled')).toBe(true)
  for (let count = 1; count < 10; count++) await userEvent.click(screen.getByRole('button', { name: 'Add source' }))
  expect(names()).toHaveLength(10)
  expect(screen.queryByRole('button', { name: 'Add source' })).toBeNull()
  await userEvent.selectOptions(
    screen.getByRole('combobox', { name: 'Type of source 2 of Source of email' }),
    'VARIABLE',
  )
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Source 2 of Source of email' }), 'message_id')
  await userEvent.click(screen.getByRole('button', { name: 'Remove source 1' }))
  expect(names()).toEqual(['message_id', '', '', '', '', '', '', '', ''])
  expect(withoutEmpty(current)).toMatchObject({ sources: [{ type: 'VARIABLE', name: 'message_id' }] })
})

test('each source shows its example where it is known', () => {
  show('properties.a', 'properties.b')
  const [one, two] = screen.getAllByRole('listitem')
  expect(within(one as HTMLElement).queryByText(/Such as/)).toBeNull()
  expect(within(two as HTMLElement).getByText('Such as two')).toBeDefined()
})

test.each([
  ['{{ traits.email | default: properties.email }}', ['traits.email', 'properties.email']],
  ['{{properties.order_id|default:message_id}}', ['properties.order_id', 'message_id']],
  ['{{ a }} and {{ b }}', undefined],
  ['{{ a | upcase | default: b }}', undefined],
  ['{{ a | default: "none" }}', undefined],
  [`{{ ${Array.from({ length: 11 }, (_, at) => `a.b${at}`).join(' | default: ')} }}`, undefined],
])('a template that only names fallbacks becomes a list: %s', (template, sources) => {
  expect(sourcesOfTemplate(template)?.map((each) => ('name' in each ? each.name : ''))).toEqual(sources)
  const source = firstOf({ ...base, type: 'TEMPLATE', value: template })
  expect(source.sources).toHaveLength(sources?.length ?? 1)
})

test('a value of the profile in a template stays one', () => {
  const template = '{{ traits.email | default: profile.traits.email }}'
  expect(sourcesOfTemplate(template)).toEqual([
    field('traits.email'),
    { ...base, type: 'PROFILE', name: 'traits.email' },
  ])
})

test('a field becomes the first of a list', () => {
  expect(firstOf(field('userId')).sources).toEqual([field('userId'), field('')])
})
