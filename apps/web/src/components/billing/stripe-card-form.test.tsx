// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { isClientConfig } from '@tributary/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useKnownConfig } from '../../lib/config.ts'
import { config, openInWorkspace } from '../../testing/page.tsx'
import { useNotices } from '../../ui/overlays/toast.tsx'
import { PaymentMethodDialog } from './payment-method-dialog.tsx'

const organization = 'organizations/o1'
const notices = () => useNotices.getState().waiting.map(({ kind, title }) => [kind, title])
/** A timeout that is long enough on a busy machine. */
const patient = { timeout: 30_000 }

/** A stand-in for Stripe's script with the functions that the form uses; it records their arguments. */
const standIn = (confirm: () => Promise<object>) => {
  const given: unknown[] = []
  const listeners = new Map<string, () => void>()
  const form = {
    mount: (place: HTMLElement) => {
      place.textContent = 'the card form'
      listeners.get('ready')?.()
    },
    destroy: () => {},
    on: (event: string, listener: () => void) => void listeners.set(event, listener),
  }
  vi.stubGlobal('Stripe', (key: string) => ({
    elements: ({ clientSecret }: { clientSecret: string }) => {
      given.push(key, clientSecret)
      return { create: () => form }
    },
    confirmSetup: confirm,
  }))
  return { given, fail: () => listeners.get('loaderror')?.() }
}

const open = async () => {
  const onClose = vi.fn()
  const asked: string[] = []
  // Cached in advance, because the page that opens the form has loaded it, too.
  const known: unknown = { ...config, payment: 'stripe', stripe_publishable_key: 'pk_test_1' }
  if (!isClientConfig(known)) throw new Error('not a configuration')
  useKnownConfig.setState({ config: known, failure: undefined })
  openInWorkspace(<PaymentMethodDialog open onClose={onClose} organization={organization} />, {
    answers: (path) => {
      asked.push(path)
      return path === `/${organization}:billingSetupIntent`
        ? Response.json({ client_secret: 'seti_1_secret' })
        : undefined
    },
  })
  return { onClose, asked }
}
const add = () => userEvent.click(screen.getByRole('button', { name: 'Add Payment method' }))

beforeEach(() => {
  useNotices.setState({ waiting: [] })
})
afterEach(() => vi.unstubAllGlobals())

test("BIL-29, BIL-31: Stripe's form gets the secret of the setup intent; an accepted card is added without passing through our code", async () => {
  const { given } = standIn(async () => ({}))
  const { onClose, asked } = await open()
  await screen.findByText('the card form', {}, patient)
  expect(given).toEqual(['pk_test_1', 'seti_1_secret'])
  expect(screen.queryByLabelText('Card number')).toBeNull()
  expect(screen.queryByText(/no money is moved/)).toBeNull()
  await add()
  await waitFor(() => expect(onClose).toHaveBeenCalled(), patient)
  expect(notices()).toEqual([['success', 'Payment method added']])
  expect(asked.filter((path) => path.includes('confirm'))).toEqual([])
})

test('a confirmation with the bank that is canceled adds no card, and can be retried (BIL-33)', async () => {
  standIn(async () => ({ error: { type: 'card_error', message: 'We are unable to authenticate your card.' } }))
  const { onClose } = await open()
  await screen.findByText('the card form', {}, patient)
  await add()
  await waitFor(
    () =>
      expect(notices()).toEqual([['error', 'An error has occured while adding your payment method, please try again']]),
    patient,
  )
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add Payment method' }).disabled).toBe(false)
})

test('BIL-32: a form that does not load shows an error', async () => {
  const { fail } = standIn(async () => ({}))
  await open()
  await screen.findByText('the card form', {}, patient)
  fail()
  expect((await screen.findByRole('alert', {}, patient)).textContent).toBe('Failed to initiate the payment method form')
})
