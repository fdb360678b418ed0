import { formatPath, type Method, methods } from '@tributary/contract'
import { type Caller, type Harness, idIn, type Organization } from './control-harness.ts'
import { onboardBody } from './sign-ins.ts'

/** A test card that does not expire during the tests. */
export const trialCard = { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2090, cvc: '123' }

/** The number of a test card whose bank asks to confirm each payment. */
export const confirmingCard = '4000002760003184'

/** Adds a test card, and confirms it if required; resolves to its ID. */
export const addCard = async (caller: Caller, organizationId: string, number = trialCard.number): Promise<string> => {
  const params = { organization: organizationId }
  const { client_secret } = await caller.ok(methods.paymentMethods.setup, params, { body: {} })
  const body = { ...trialCard, number, client_secret, confirmed: true }
  return idIn((await caller.ok(methods.paymentMethods.confirmSandbox, params, { body })).name)
}

const company = {
  company: 'Acme',
  email: 'billing@acme.example',
  line1: '1 Main Street',
  city: 'Springfield',
  postal_code: '12345',
  country: 'US',
}

/**
 * Makes a call about plans and payment in an organization with a card, and with a subscription if the call needs one.
 */
export const billingRequest = async (
  harness: Harness,
  { administrator, platformAdmin, organizationId }: Organization,
  { name, path }: Method,
): Promise<{ path: string; body?: unknown } | undefined> => {
  const [area, verb] = name.split('.')
  if (area === 'onboardings') {
    await platformAdmin.ok(methods.users.onboard, {}, { body: onboardBody() })
    const { onboardings } = await platformAdmin.ok(methods.onboardings.list, {})
    return verb === 'list'
      ? { path }
      : { path: formatPath(path, { onboarding: idIn(onboardings[0]?.name ?? '') }), body: {} }
  }
  if (
    ![
      'plans',
      'subscriptions',
      'paymentMethods',
      'billingCompanies',
      'invoices',
      'usageReports',
      'overageCaps',
    ].includes(area ?? '')
  )
    return undefined
  const params = { organization: organizationId }
  // The cards, subscriptions, and invoices of the previous call are removed.
  await harness.db.deleteFrom('sandbox_customers').where('organization_id', '=', organizationId).execute()
  const confirms = name === 'invoices.confirmSandbox'
  const payment_method = await addCard(administrator, organizationId, confirms ? confirmingCard : undefined)
  const subscribe = () =>
    administrator.ok(methods.subscriptions.update, params, {
      body: { plan: 'plans/team', recurring_interval: 'MONTHLY' },
    })
  if (verb === 'cancel' || verb === 'resume' || (area === 'invoices' && !confirms)) await subscribe()
  if (verb === 'resume') await administrator.ok(methods.subscriptions.cancel, params, { body: {} })
  const { invoices } = await administrator.ok(methods.invoices.list, params)
  const { client_secret } = await administrator.ok(methods.paymentMethods.setup, params, { body: {} })
  const asked = confirms
    ? await administrator.call('PATCH', `/organizations/${organizationId}/subscription`, {
        plan: 'plans/team',
        recurring_interval: 'MONTHLY',
      })
    : undefined
  const bodies: Readonly<Record<string, unknown>> = {
    'subscriptions.update': { plan: 'plans/team', recurring_interval: 'MONTHLY' },
    'subscriptions.preview': { plan: 'plans/business', recurring_interval: 'MONTHLY' },
    'subscriptions.cancel': {},
    'subscriptions.resume': {},
    'paymentMethods.setup': {},
    'paymentMethods.confirmSandbox': { ...trialCard, client_secret },
    'paymentMethods.setDefault': {},
    'billingCompanies.update': company,
    'overageCaps.update': { amount: '300.00' },
    'invoices.pay': {},
    'invoices.confirmSandbox': asked?.body.metadata,
  }
  const invoice = invoices[0]?.invoice_url.split('/').at(-1) ?? 'none'
  const body = bodies[name]
  return {
    path: formatPath(path, { ...params, payment_method, invoice }),
    ...(body === undefined ? {} : { body }),
  }
}
