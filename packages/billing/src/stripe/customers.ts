import type { Db } from '@tributary/api-kit'
import type { BillingCompany } from '@tributary/contract'
import { z } from 'zod'
import { type PaymentProvider, PaymentRefused } from '../provider.ts'
import { idPath, type StripeApi } from './api.ts'

const made = z.object({ id: z.string() })
const taxIds = z.object({ data: z.array(z.object({ id: z.string(), type: z.string(), value: z.string() })) })

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/**
 * Returns the two-letter country code that Stripe needs, from a code or an English name. Returns undefined for any
 * other text.
 */
export const countryCode = (text: string): string | undefined => {
  const wanted = text.trim().toLowerCase()
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const codes = letters.flatMap((a) => letters.map((b) => `${a}${b}`))
  return codes.find((code) => {
    // The code of a former country is displayed with the name of its successor.
    if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) return false
    const name = names.of(code)
    return name !== undefined && (code.toLowerCase() === wanted || name.toLowerCase() === wanted)
  })
}

/**
 * Replaces the tax ID of a customer, since Stripe cannot change one. The new one is added first, because it may be
 * refused.
 */
const changeTaxId = async (api: StripeApi, customer: string, { tax_type, tax_id }: BillingCompany): Promise<void> => {
  const path = `customers/${idPath(customer)}/tax_ids`
  const known = taxIds.parse(await api.get(path, { limit: 100 })).data
  const wanted = tax_id !== '' && tax_type !== ''
  const kept = wanted ? known.find(({ type, value }) => type === tax_type && value === tax_id) : undefined
  if (wanted && kept === undefined)
    try {
      await api.post(path, { type: tax_type, value: tax_id })
    } catch (cause) {
      if (!(cause instanceof PaymentRefused)) throw cause
      throw new PaymentRefused(cause.message, cause.code, 'tax_id')
    }
  for (const { id } of known) if (id !== kept?.id) await api.delete(`${path}/${idPath(id)}`)
}

/** Reads and changes customers at Stripe. */
export const customersOf = (
  api: StripeApi,
  db: Db,
): Pick<PaymentProvider, 'findCustomer' | 'customerOf' | 'updateCustomer'> => {
  const findCustomer: PaymentProvider['findCustomer'] = async (organizationId) => {
    const row = await db
      .selectFrom('stripe_customers')
      .select('customer')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst()
    return row?.customer
  }
  return {
    findCustomer,
    async customerOf(organizationId) {
      const known = await findCustomer(organizationId)
      if (known !== undefined) return known
      const organization = await db
        .selectFrom('organizations')
        .select('title')
        .where('id', '=', organizationId)
        .executeTakeFirstOrThrow()
      const { id } = made.parse(
        await api.post(
          'customers',
          { name: organization.title, metadata: { organization: organizationId } },
          `${organizationId}:customer`,
        ),
      )
      await db
        .insertInto('stripe_customers')
        .values({ organization_id: organizationId, customer: id })
        .onConflict((conflict) => conflict.column('organization_id').doNothing())
        .execute()
      return (await findCustomer(organizationId)) ?? id
    },
    async updateCustomer(customer, company) {
      const country = countryCode(company.country)
      if (country === undefined)
        throw new PaymentRefused('Enter the two-letter code or the English name of the country', '', 'country')
      await changeTaxId(api, customer, company)
      const { company: name, email, line1, line2, city, state, postal_code } = company
      await api.post(`customers/${idPath(customer)}`, {
        name,
        email,
        address: { line1, line2, city, state, postal_code, country },
      })
    },
  }
}
