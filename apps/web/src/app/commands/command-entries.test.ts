import { expect, test } from 'vitest'
import { type Command, commandGroups } from './command-entries.ts'

const command = (label: string, heading: string, more: Partial<Command> = {}): Command => ({
  id: label,
  label,
  heading,
  icon: null,
  act: () => undefined,
  ...more,
})
const objects = [command('Web shop', 'Sources and destinations'), command('Warehouse', 'Sources and destinations')]
const commands = [
  command('Sources', 'Go to'),
  command('Settings: Members', 'Go to', { words: 'people team' }),
  command('New source', 'Actions', { words: 'add create' }),
]
const hidden = [command('New source: Webhook', 'Create')]
const shown = (text: string, recent: string[] = []) =>
  commandGroups(text, { commands, hidden, objects, recent: recent.map((id) => ({ id })) }).map(({ heading, items }) => [
    heading,
    ...items.map(({ label }) => label),
  ])

test('without input, recent entries come first, then all objects (if there are few), pages, and actions', () => {
  expect(shown('', ['Warehouse', 'New source', 'gone'])).toEqual([
    ['Recent', 'Warehouse', 'New source'],
    ['Sources and destinations', 'Web shop'],
    ['Go to', 'Sources', 'Settings: Members'],
  ])
})

test('if there are many objects, only a search shows them', () => {
  const many = Array.from({ length: 9 }, (_, index) => command(`Source ${index}`, 'Sources and destinations'))
  expect(commandGroups('', { commands: [], hidden: [], objects: many, recent: [] })).toEqual([])
  const [group] = commandGroups('source', { commands: [], hidden: [], objects: many, recent: [] })
  expect(group?.items).toHaveLength(8)
})

test('the best match comes first with its heading, and letters in order or synonyms match, too', () => {
  expect(shown('sources')[0]).toEqual(['Go to', 'Sources'])
  expect(shown('whs')[0]).toEqual(['Sources and destinations', 'Warehouse'])
  expect(shown('wshp')).toEqual([['Sources and destinations', 'Web shop']])
  expect(shown('people')).toEqual([['Go to', 'Settings: Members']])
  expect(shown('create source')).toEqual([['Actions', 'New source']])
  expect(shown('webhook')).toEqual([['Create', 'New source: Webhook']])
  expect(shown('nothing like it')).toEqual([])
})

test('if two entries match equally, the one that was used more recently comes first', () => {
  expect(shown('w')[0]).toEqual(['Sources and destinations', 'Web shop', 'Warehouse'])
  expect(shown('w', ['Warehouse'])[0]).toEqual(['Sources and destinations', 'Warehouse', 'Web shop'])
})
