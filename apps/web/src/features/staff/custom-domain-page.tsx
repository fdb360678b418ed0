import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** How the product is served under a domain of one's own. */
export const CustomDomainPage = () => {
  const { protocol, host } = window.location
  return (
    <>
      <PageHeader
        title="Custom domain"
        documentTitle="Custom domain"
        description="Serve the application and collection under a domain of your own."
      />
      <div className="max-w-2xl space-y-5">
        <Card title="This address" description="Where this installation is open in your browser now.">
          <p className="font-mono text-sm break-all">{`${protocol}//${host}`}</p>
        </Card>
        <Card
          title="Another domain"
          description="Domains are served by the proxy in front of Tributary, which also holds their certificates."
        >
          <ol className="list-decimal space-y-2 pl-5 text-sm text-ink-2">
            <li>Point the domain at the proxy with a CNAME or A record.</li>
            <li>
              Let the proxy answer for the domain over HTTPS and pass everything on to Tributary, WebSockets included.
            </li>
            <li>Start Tributary with the domain as its public address, so that links in mails lead there.</li>
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
