const figures = [
  { metric: 'oee', title: 'OEE', show: percent },
  { metric: 'availability', title: 'Availability', show: percent },
  { metric: 'performance', title: 'Performance', show: percent },
  { metric: 'quality', title: 'Quality', show: percent },
  { metric: 'goodParts', title: 'Good parts', show: count },
  { metric: 'totalParts', title: 'Total parts', show: count },
]

/** The report that this page shows: one request for the plant and for every machine. */
export function todayRequest(date) {
  return {
    startDay: date,
    endDay: date,
    data: figures.map(({ metric }) => ({ metric })),
    groupBy: [{ group: 'machine' }],
  }
}

export function showToday(place, { aggregate }) {
  place.replaceChildren(
    ...figures.map(({ metric, title, show }) => {
      const figure = document.createElement('div')
      const term = document.createElement('dt')
      const value = document.createElement('dd')
      term.textContent = title
      value.textContent = show(aggregate[metric])
      figure.append(term, value)
      return figure
    }),
  )
}

export function showExample(place, date) {
  const body = { startDay: date, endDay: date, data: [{ metric: 'oee' }], groupBy: [{ group: 'machine' }] }
  place.textContent = [
    `curl ${location.origin}/reports/production \\`,
    '  -H "Authorization: Bearer $TAKT_KEY" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}

/** A ratio as percent; a dash where there is none. */
export function percent(ratio) {
  return typeof ratio === 'number' ? `${(ratio * 100).toFixed(1)} %` : '–'
}

/** A number of parts, with the separators of the reader's language. */
export function count(parts) {
  return typeof parts === 'number' ? parts.toLocaleString() : '–'
}
