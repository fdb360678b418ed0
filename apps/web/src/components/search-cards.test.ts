import { expect, test } from 'vitest'
import { searchCards } from './search-cards.ts'

const card = (title: string, category: string, description = '', abilities: string[] = []) => ({
  title,
  categories: [category],
  description,
  abilities,
})
const cards = [
  card('Zendesk', 'Support and success', 'Creates and updates users.'),
  card('Klaviyo', 'Customer engagement', 'Sends events and profiles.', ['Deletion of users']),
  card('HubSpot', 'CRM and sales', 'Creates contacts.'),
  card('Salesforce', 'CRM and sales', 'Creates leads.'),
  card('Segment', 'Customer data platforms', 'Forwards events, like HubSpot does.'),
]
const titles = (search: string): string[] => searchCards(cards, search).map(({ title }) => title)

test('a search finds titles, categories, abilities, and descriptions, titles first', () => {
  expect(titles('')).toHaveLength(5)
  expect(titles('hubspot')).toEqual(['HubSpot', 'Segment'])
  expect(titles('crm')).toEqual(['HubSpot', 'Salesforce'])
  expect(titles('deletion')).toEqual(['Klaviyo'])
  expect(titles('contacts crm')).toEqual(['HubSpot'])
})

test.each([
  ['klavyio', 'Klaviyo'],
  ['klavio', 'Klaviyo'],
  ['kllaviyo', 'Klaviyo'],
  ['zendwsk', 'Zendesk'],
  ['salesfroce', 'Salesforce'],
  ['hubspt', 'HubSpot'],
])('a search for %s finds %s despite the typing error', (search, title) => {
  expect(titles(search)).toEqual([title])
})

test.each(['nothing like it', '((((', '.*', 'a'.repeat(5000)])(
  'a search for other text finds nothing: %.20s',
  (search) => {
    expect(titles(search)).toEqual([])
  },
)
