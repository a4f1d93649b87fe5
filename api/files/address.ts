/** Converts the path of the file in a report's response to a URL. */
export function withAddress<Answer>(answer: Answer, baseUrl: string): Answer {
  return hasFile(answer) ? { ...answer, csv: { ...answer.csv, url: `${baseUrl}${answer.csv.url}` } } : answer
}

function hasFile(answer: unknown): answer is { readonly csv: { readonly url: string } } {
  const csv = typeof answer === 'object' && answer !== null && 'csv' in answer ? answer.csv : null
  return typeof csv === 'object' && csv !== null && 'url' in csv && typeof csv.url === 'string'
}
