import type { ReactNode } from 'react'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

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
    <EntryFrame>
      <div className="text-center">
        {picture !== undefined && <div className="mb-4 flex justify-center">{picture}</div>}
        <h1 className="text-lg font-semibold tracking-tight text-balance break-words">{title}</h1>
        {children}
      </div>
    </EntryFrame>
  )
}
