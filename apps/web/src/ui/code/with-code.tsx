/**
 * Shows a text of the server, with the parts between backticks as code. All other markup stays text, because the text
 * can quote strangers. A single backtick stays a backtick.
 */
export const WithCode = ({ text }: { text: string }) => {
  const parts = text.split(/`([^`\n]+)`/)
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence have no other name
      <code key={index} className="rounded-sm bg-ink/8 px-1 font-mono text-[0.92em] break-words">
        {part}
      </code>
    ),
  )
}
