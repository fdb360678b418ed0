import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CustomDomain, domainName, methods } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { query, refresh } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { DomainCard } from './domain-card.tsx'

/** The custom domain of a workspace; undefined for none. */
const customDomainQuery = (workspace: string) =>
  query(
    methods.customDomains.list,
    { params: workspaceIds(workspace) },
    { read: ({ custom_domains }) => custom_domains[0] ?? null, staleTime: 0 },
  )

// Validates the domain without changing it. The typed text stays as it is; the server stores it in lower case.
const domainForm = z.object({
  domain_name: z.string().refine((name) => domainName.safeParse(name).success, 'Invalid domain name'),
})

const AddForm = ({ workspace, domain }: { workspace: string; domain: CustomDomain | null }) => {
  const cache = useQueryClient()
  const add = useMutation({
    mutationFn: (domain_name: string) =>
      call(methods.customDomains.create, { params: workspaceIds(workspace), body: { domain_name } }),
    onSettled: () => refresh(cache, ['customDomains'], workspaceIds(workspace)),
  })
  const form = useApiForm<z.infer<typeof domainForm>>(domainForm, { domain_name: domain?.domain_name ?? '' })
  const exists = domain !== null
  return (
    <Form
      form={form}
      label="Custom domain"
      className="space-y-4"
      onSubmit={({ domain_name }) => add.mutateAsync(domain_name)}
    >
      <TextField
        name="domain_name"
        label="Domain name"
        required
        disabled={exists}
        hint={
          exists
            ? 'A workspace has one custom domain. Remove it to add another one.'
            : 'A subdomain that nothing else uses.'
        }
        placeholder="events.example.com"
        autoComplete="off"
        spellCheck={false}
      />
      <div className="flex justify-end">
        <SubmitButton disabled={exists}>Add Domain</SubmitButton>
      </div>
    </Form>
  )
}

const proxyExample = (origin: string): string => `{
  on_demand_tls {
    ask ${origin}/domains/ask
  }
}
https:// {
  tls {
    on_demand
  }
  reverse_proxy ${origin}
}`

const ReverseProxy = () => {
  const [shown, setShown] = useState(false)
  return (
    <Card
      title="Reverse proxy"
      description="A reverse proxy in front of Tributary holds the certificates of custom domains."
      action={
        <Button size="sm" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide example' : 'Show example'}
        </Button>
      }
    >
      <p className="text-sm text-ink-2">
        Before it requests a certificate, it asks <code className="font-mono">/domains/ask?domain=</code>. The response
        is 200 for an active custom domain and 404 for every other name. It must pass on the host of each request, and
        its network must be one of <code className="font-mono">TRIBUTARY_TRUSTED_PROXIES</code>.
      </p>
      {shown && (
        <div className="mt-4">
          <CodeBlock
            notice="Example copied"
            codes={[{ title: 'Caddyfile', language: 'text', text: proxyExample(window.location.origin) }]}
          />
        </div>
      )}
    </Card>
  )
}

/** The domain on which a workspace collects its events. */
export const CustomDomainPage = () => {
  const { name: workspace, title } = useWorkspace()
  const query = useQuery(customDomainQuery(workspace))
  return (
    <>
      <PageHeader title="Custom domain" description={`Collect the events of ${title} on your own domain.`} />
      <div className="max-w-2xl space-y-5">
        <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the custom domain">
          {(domain) => (
            <>
              <Card title="Domain" description="SDKs of this workspace send events to it.">
                <AddForm key={domain?.name ?? ''} workspace={workspace} domain={domain} />
              </Card>
              {domain !== null && <DomainCard domain={domain} />}
              <ReverseProxy />
            </>
          )}
        </QueryView>
      </div>
    </>
  )
}
