import {
  amount,
  email,
  firstName,
  lastName,
  type MethodResponse,
  type methods,
  organizationTitle,
} from '@tributary/contract'
import { z } from 'zod'
import { paths } from '../../lib/paths.ts'

/** The rules of a new onboarding link: those of the API call. */
export const onboardingLinkForm = z.object({
  organization_title: organizationTitle,
  email,
  first_name: firstName,
  last_name: lastName,
  yearly_amount: amount,
  setup_amount: amount,
})
export type OnboardingLinkForm = z.infer<typeof onboardingLinkForm>

export const emptyOnboardingLink: OnboardingLinkForm = {
  organization_title: '',
  email: '',
  first_name: '',
  last_name: '',
  yearly_amount: '0.00',
  setup_amount: '0.00',
}

/** An amount with two decimals, as the API requires: "10.00" for "10", "10.50" for "10.5". */
export const decimals = (text: string): string => {
  const [whole = '0', part = ''] = text.split('.')
  return `${whole}.${part.padEnd(2, '0')}`
}

const bareId = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/**
 * The details of a new onboarding link, in order; `origin` is the URL of the application. Only a sold plan has an
 * invoice.
 */
export const onboardingDetails = (
  made: MethodResponse<typeof methods.users.onboard>,
  origin: string,
  isSold: boolean,
): { label: string; value: string; link: boolean }[] => [
  { label: 'Organization ID', value: bareId(made.organization.name), link: false },
  { label: 'Workspace ID', value: bareId(made.workspace.name), link: false },
  {
    label: 'Onboarding link',
    value: `${origin}${paths.completeOnboarding(made.user.name, made.onboarding_token)}`,
    link: false,
  },
  ...(isSold ? [{ label: 'Setup-fee invoice link', value: made.invoice_url, link: true }] : []),
]

/** Why a set-up fee has no invoice: there was no fee, or the provider has not responded yet. */
export const noInvoiceText = (fee: boolean): string =>
  fee
    ? 'The payment provider cannot be reached. The invoice is made automatically and appears in the list below.'
    : 'No set-up fee, so there is no invoice.'

/** The details as text, one per line. */
export const detailsText = (details: readonly { label: string; value: string }[]): string =>
  details.map(({ label, value }) => `${label}: ${value === '' ? 'none' : value}`).join('\n')
