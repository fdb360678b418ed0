import type { RefObject } from 'react'

/** A link that skips the navigation: the first element that the Tab key reaches. */
export const SkipLink = ({ content }: { content: RefObject<HTMLElement | null> }) => (
  <a
    href="#content"
    onClick={(event) => {
      // Keeps the hash of the URL, which names the tab of the page.
      event.preventDefault()
      content.current?.focus()
    }}
    className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
  >
    Skip to content
  </a>
)
