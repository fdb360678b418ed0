import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type BillingCompany, billingCompany, methods } from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { call } from '../../../lib/api/client.ts'
import { organizationIds } from '../../../lib/format/names.ts'
import { query } from '../../../lib/queries/query.ts'
import { Card } from '../../../ui/card.tsx'
import { Form, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

/** The addressee of an organization's invoices; null for none. */
const billingCompanyQuery = (organization: string) =>
  query(methods.billingCompanies.get, { params: organizationIds(organization) })

// Takes the rules from the contract, because in the form each field has a text.
const { line2, state, tax_type, tax_id } = billingCompany.shape
const companyForm = billingCompany.extend({
  line2: line2.unwrap(),
  state: state.unwrap(),
  tax_type: tax_type.unwrap(),
  tax_id: tax_id.unwrap(),
})
type CompanyValues = z.infer<typeof companyForm>

const nobody: CompanyValues = {
  company: '',
  email: '',
  line1: '',
  line2: '',
  city: '',
  state: '',
  postal_code: '',
  country: '',
  tax_type: '',
  tax_id: '',
}

const CompanyForm = ({ organization, company }: { organization: string; company: BillingCompany | null }) => {
  const cache = useQueryClient()
  const form = useApiForm<CompanyValues>(companyForm, company ?? nobody)
  const submit = async (values: CompanyValues): Promise<void> => {
    const saved = await call(methods.billingCompanies.update, { params: organizationIds(organization), body: values })
    cache.setQueryData(billingCompanyQuery(organization).queryKey, { company: saved })
    notify('success', 'Billing details saved')
  }
  return (
    <Form form={form} onSubmit={submit} label="Billing details" className="space-y-4">
      <TextField name="company" label="Company" required autoComplete="organization" />
      <TextField name="email" label="Billing email" type="email" required autoComplete="email" />
      <TextField name="line1" label="Address line 1" required autoComplete="address-line1" />
      <TextField name="line2" label="Address line 2" autoComplete="address-line2" />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField name="city" label="City" required autoComplete="address-level2" />
        <TextField name="state" label="State" autoComplete="address-level1" />
        <TextField name="postal_code" label="Postal code" required autoComplete="postal-code" />
        <TextField name="country" label="Country" required autoComplete="country-name" />
        <TextField name="tax_type" label="Tax type" autoComplete="off" placeholder="eu_vat" />
        <TextField name="tax_id" label="Tax ID" autoComplete="off" />
      </div>
      <div className="flex justify-end">
        <SubmitButton>Save Changes</SubmitButton>
      </div>
    </Form>
  )
}

/** The addressee of the invoices of an organization (a resource name). */
export const CompanyCard = ({ organization }: { organization: string }) => {
  const query = useQuery(billingCompanyQuery(organization))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the billing details">
      {({ company }) => (
        <Card title="Billing details" description="Shown on later invoices.">
          <CompanyForm key={JSON.stringify(company)} organization={organization} company={company} />
        </Card>
      )}
    </QueryView>
  )
}
