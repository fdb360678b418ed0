import type { ReactNode } from 'react'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'

/** The frame of an invitation in every state: the product's name and one card. */
export const InvitationFrame = ({
  title,
  picture,
  children,
}: {
  title: string
  picture?: ReactNode
  children: ReactNode
}) => {
  useDocumentTitle(title)
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-104">
        <div className="mb-6 flex justify-center">
          <Wordmark />
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 text-center shadow-card">
          {picture !== undefined && <div className="mb-4 flex justify-center">{picture}</div>}
          <h1 className="text-lg font-semibold tracking-tight text-balance break-words">{title}</h1>
          {children}
        </div>
      </div>
    </main>
  )
}
