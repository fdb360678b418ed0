import { expect, test } from 'vitest'
import { decimals, detailsText, emptyOnboardingLink, onboardingDetails, onboardingLinkForm } from './onboarding-link.ts'

const filled = {
  ...emptyOnboardingLink,
  organization_title: 'Acme',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Lee',
}
const message = (field: string, value: string): string | undefined =>
  onboardingLinkForm.safeParse({ ...filled, [field]: value }).error?.issues[0]?.message

test.each(['10', '10.5', '10.50', '0.00'])('STF-05, AMB-18: the amount %j is accepted', (value) => {
  expect(message('setup_amount', value)).toBeUndefined()
  expect(message('yearly_amount', value)).toBeUndefined()
})

test.each(['10.123', '-1', 'abc', '1,000', ''])('STF-05, AMB-18: the amount %j is rejected', (value) => {
  expect(message('setup_amount', value)).toBe('Must be a valid number with up to two decimals')
  expect(message('yearly_amount', value)).toBe('Must be a valid number with up to two decimals')
})

test('STF-06: a new organization has the rules of titles, addresses and names', () => {
  expect(message('organization_title', 'abc')).toBe('Please provide a name that is 4 characters or more')
  expect(message('email', 'ann')).toBe('Invalid email')
  expect(message('first_name', '')).toBe('First Name is required')
  expect(message('last_name', 'a'.repeat(16))).toBe('Last Name is too long')
})

test.each([
  ['10', '10.00'],
  ['10.5', '10.50'],
  ['0.00', '0.00'],
])('the amount %j is sent as %j', (typed, sent) => {
  expect(decimals(typed)).toBe(sent)
})

test("STF-10: the details contain IDs without prefixes, and the link with the application's URL", () => {
  const made = {
    user: { name: 'users/u1' },
    organization: { name: 'organizations/o1' },
    workspace: { name: 'workspaces/w1' },
    onboarding_token: 'a+b',
    invoice_url: '',
  } as Parameters<typeof onboardingDetails>[0]
  expect(detailsText(onboardingDetails(made, 'https://cdp.example', true))).toBe(
    [
      'Organization ID: o1',
      'Workspace ID: w1',
      'Onboarding link: https://cdp.example/users/u1/onboarding/complete?token=a%2Bb',
      'Setup-fee invoice link: none',
    ].join('\n'),
  )
})
