// Finds rows by all words of a search, which stands in the address, and sorts by a column. Without this script the table stays.
(() => {
  const table = document.querySelector('.sortable');
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const find = document.querySelector('.find');
  const input = find.querySelector('input');
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      shown += !row.hidden;
    });
    find.querySelector('output').textContent = words.length ? `${shown} of ${rows.length}` : '';
  };
  const read = () => {
    input.value = new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
    show();
  };
  input.addEventListener('input', () => {
    const q = input.value ? `#${new URLSearchParams({ q: input.value })}` : ' ';
    history.replaceState(null, '', q.trim() || location.pathname);
    show();
  });
  addEventListener('hashchange', read);
  const heads = [...table.tHead.rows[0].cells];
  const sort = (at, head) => {
    const down = head.ariaSort === 'ascending' || (head.className === 'number' && !head.ariaSort);
    const isNumber = head.className === 'number';
    const value = (row) => (isNumber ? parseFloat(row.cells[at].textContent || '-1') : row.cells[at].textContent);
    const compare = (a, b) => (isNumber ? value(a) - value(b) : value(a).localeCompare(value(b)));
    const sorted = [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
    heads.forEach((other) => other.removeAttribute('aria-sort'));
    head.ariaSort = down ? 'descending' : 'ascending';
    table.tBodies[0].append(...sorted);
  };
  heads.forEach((head, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', () => sort(at, head));
    head.replaceChildren(button);
  });
  find.hidden = false;
  read();
})();
