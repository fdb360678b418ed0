import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'

/** How the product is served under a domain of one's own. */
export const CustomDomainPage = () => {
  const { protocol, host } = window.location
  return (
    <>
      <PageHeader
        title="Custom domain"
        documentTitle="Custom domain"
        description="Serve the app and collect events on your own domain."
      />
      <div className="max-w-2xl space-y-5">
        <Card title="This address" description="The address you are using now.">
          <p className="font-mono text-sm break-all">{`${protocol}//${host}`}</p>
        </Card>
        <Card title="Another domain" description="Your reverse proxy serves the domain and holds its certificate.">
          <ol className="list-decimal space-y-2 pl-5 text-sm text-ink-2">
            <li>Point the domain at the proxy with a CNAME or A record.</li>
            <li>
              Configure the proxy to terminate HTTPS for the domain and forward all traffic to Tributary, including
              WebSockets.
            </li>
            <li>Start Tributary with the domain as its public URL, so links in emails use it.</li>
          </ol>
          <div className="mt-4">
            <CodeBlock
              copyLabel="Copy setting"
              notice="Setting copied"
              codes={[
                { title: 'Environment', language: 'shell', text: 'TRIBUTARY_PUBLIC_URL=https://cdp.example.com' },
              ]}
            />
          </div>
        </Card>
      </div>
    </>
  )
}
