import { ExternalLink } from 'lucide-react'
import { AppIcon } from '../ui/app-icon.tsx'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code/code-block.tsx'
import { Markup } from '../ui/code/markup.tsx'

const languageNames: Readonly<Record<string, string>> = { sql: 'SQL', json: 'JSON', text: 'Example' }

/** Beside the form for a new source or destination: its description and documentation. */
export const DocsPanel = ({
  app,
  steps = [],
  children,
}: {
  app: { title: string; description: string; docs_url: string; extra: { app_icon: string } }
  /** The steps of the preparation, in order. */
  steps?: readonly { title: string; text: string; code: string; language: string }[]
  /** Rendered between the description and the preparations. */
  children?: React.ReactNode
}) => (
  <aside aria-label={`About ${app.title}`}>
    <Card>
      <div className="space-y-3">
        <div className="flex items-center gap-3">
          <AppIcon icon={app.extra.app_icon} size="md" />
          <h2 className="text-base font-semibold">{app.title}</h2>
        </div>
        <Markup text={app.description} className="text-sm text-ink-2" />
        {children}
        {steps.length > 0 && (
          <dl className="space-y-3 border-t border-line pt-3">
            {steps.map((step) => (
              <div key={step.title}>
                <dt className="text-sm font-medium">{step.title}</dt>
                <dd className="mt-0.5 text-xs text-ink-2">
                  <Markup text={step.text} />
                  {step.code !== '' && (
                    <div className="mt-2">
                      <CodeBlock
                        codes={[
                          {
                            title: languageNames[step.language] ?? step.language,
                            language: step.language,
                            text: step.code,
                          },
                        ]}
                        className="break-words whitespace-pre-wrap"
                      />
                    </div>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {app.docs_url !== '' && (
          <a
            href={app.docs_url}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="inline-flex items-center gap-1.5 rounded-sm text-sm font-medium text-accent-ink hover:underline"
          >
            Documentation
            <ExternalLink aria-hidden className="size-3.5" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        )}
      </div>
    </Card>
  </aside>
)

/** Places a form and a panel beside each other; on a phone, the panel is below the form. */
export const FormLayout = ({ children, aside }: { children: React.ReactNode; aside: React.ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
    {children}
    {aside}
  </div>
)
