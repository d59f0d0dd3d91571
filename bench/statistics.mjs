/** The value below which the share `q` of the values lies. @param {readonly number[]} values @param {number} q */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Median, least and greatest. @param {readonly number[]} values */
export function spread(values) {
  return { median: quantile(values, 0.5), least: Math.min(...values), greatest: Math.max(...values) };
}
