import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodResponse, methods } from '@tributary/contract'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { useApiForm } from '../../components/api-form.ts'
import { call } from '../../lib/api/client.ts'
import { useConfig } from '../../lib/config.ts'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { onboardingsQuery } from '../../lib/queries/billing-queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton, copyText } from '../../ui/code/copy-button.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import {
  decimals,
  detailsText,
  emptyOnboardingLink,
  noInvoiceText,
  type OnboardingLinkForm,
  onboardingDetails,
  onboardingLinkForm,
} from './onboarding-link.ts'
import { OnboardingsCard } from './onboardings-card.tsx'

type Made = MethodResponse<typeof methods.users.onboard>

/** Whether this installation takes payments. If not, an amount would never be charged. */
const useIsSold = (): boolean => (useConfig()?.payment ?? 'none') !== 'none'

const LinkForm = ({ onMade }: { onMade: (made: Made, fee: boolean) => void }) => {
  const isSold = useIsSold()
  const form = useApiForm<OnboardingLinkForm>(onboardingLinkForm, emptyOnboardingLink)
  useFirstField(form, 'organization_title')
  const onboard = useMutation({
    mutationFn: (values: OnboardingLinkForm) =>
      call(methods.users.onboard, {
        body: {
          ...values,
          setup_amount: decimals(values.setup_amount),
          yearly_amount: decimals(values.yearly_amount),
        },
      }),
  })
  const submit = async (values: OnboardingLinkForm): Promise<void> => {
    onMade(await onboard.mutateAsync(values), Number(values.setup_amount) > 0)
  }
  return (
    <Card>
      <Form form={form} onSubmit={submit} label="Onboarding link" className="space-y-5">
        <TextField name="organization_title" label="Organization name" required autoComplete="off" />
        <TextField
          name="email"
          label="Email"
          type="email"
          inputMode="email"
          required
          hint="The person who becomes the organization's administrator."
          autoComplete="off"
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField name="first_name" label="First name" required autoComplete="off" />
          <TextField name="last_name" label="Last name" required autoComplete="off" />
        </div>
        {isSold && (
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField name="yearly_amount" label="Yearly amount" type="price" hint="In USD" autoComplete="off" />
            <TextField name="setup_amount" label="Setup amount" type="price" hint="In USD" autoComplete="off" />
          </div>
        )}
        <div className="flex justify-end">
          <SubmitButton>Generate onboarding link</SubmitButton>
        </div>
      </Form>
    </Card>
  )
}

const Result = ({ made, fee, onAgain }: { made: Made; fee: boolean; onAgain: () => void }) => {
  const details = onboardingDetails(made, window.location.origin, useIsSold())
  const mailEnabled = useMailEnabled()
  const copyAll = async (): Promise<void> => {
    if (await copyText(detailsText(details))) notify('success', 'Onboarding details copied')
    else notify('error', 'Could not copy', { description: 'Select the text and copy it manually.' })
  }
  return (
    <Card
      title={made.organization.display_name}
      description={`${
        mailEnabled
          ? `We emailed the onboarding link to ${made.user.email}.`
          : `No mail server is set up: copy the onboarding link and send it to ${made.user.email} yourself.`
      } It works once, and is not shown again.`}
      footer={
        <>
          <Button onClick={onAgain}>Generate a new onboarding link</Button>
          <Button variant="primary" onClick={() => void copyAll()}>
            <Copy aria-hidden />
            Copy details
          </Button>
        </>
      }
    >
      <dl className="space-y-4">
        {details.map(({ label, value, link }) => (
          <div key={label}>
            <dt className="text-xs font-medium text-ink-3">{label}</dt>
            <dd className="flex items-start gap-2 font-mono text-xs break-all">
              {value === '' ? (
                <span className="font-sans text-sm text-ink-2">{noInvoiceText(fee)}</span>
              ) : (
                <>
                  <span className="min-w-0 flex-1 py-1.5">
                    {link ? (
                      <a href={value} target="_blank" rel="noopener noreferrer" className="text-accent-ink underline">
                        {value}
                      </a>
                    ) : (
                      value
                    )}
                  </span>
                  <CopyButton text={value} name={`Copy ${label}`} notice={`${label} copied`} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** Platform admins create an organization, and the link with which its administrator completes the set-up. */
export const OnboardingLinkPage = () => {
  const [made, setMade] = useState<{ made: Made; fee: boolean } | undefined>()
  const cache = useQueryClient()
  return (
    <>
      <PageHeader
        title="Generate an onboarding link"
        documentTitle="Onboarding link"
        description="Creates an organization with its first workspace, and a link for its administrator."
      />
      <div className="max-w-2xl space-y-5">
        {made === undefined ? (
          <LinkForm
            onMade={(answer, fee) => {
              setMade({ made: answer, fee })
              void cache.invalidateQueries({ queryKey: onboardingsQuery().queryKey })
            }}
          />
        ) : (
          <Result {...made} onAgain={() => setMade(undefined)} />
        )}
        <OnboardingsCard />
      </div>
    </>
  )
}
